"""As far as the tree needs it."""

sh_binary = native.sh_binary
