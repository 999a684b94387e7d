"""As far as the tree needs it."""

sh_test = native.sh_test
