#!/bin/sh
# Installs what is missing to build gstrace, and with "test" what its tests need, on Debian 12 and later.
# usage: install_deps.sh [--yes] [build|test]
# Also sourced by demo.sh and test.sh, which call install_deps.
#
# Says first what it will install, and asks unless it runs as root, in CI (CI=...) or with --yes.
# Where it cannot install (no apt-get, no rights, no network) it says what is missing and how to
# get it, and fails. A tool that is there already is used, whoever installed it.

deps_have() {
	command -v "$1" >/dev/null 2>&1
}

deps_have_library() {
	deps_have pkg-config && pkg-config --exists "$1"
}

deps_links() {
	deps_have "$1" && echo 'int LLVMFuzzerTestOneInput(void); int LLVMFuzzerTestOneInput(void) { return 0; }' |
		"$@" -x c - -o /dev/null 2>/dev/null
}

deps_have_format() {
	deps_have clang-format-14 || clang-format --version 2>/dev/null | grep -q 'version 14\.'
}

# Debian after 12, which has no clang-format 14: tools/test.sh skips the check of the layout there.
deps_later_debian() {
	grep -q '^ID=debian$' /etc/os-release 2>/dev/null && ! grep -q '^VERSION_ID="12"$' /etc/os-release
}

# Bazel 7 of Debian asks a registry for modules that it does not bring; .bazelrc has stand-ins.
deps_configure() {
	if [ -e /usr/share/bazel/embedded_tools/MODULE.bazel ] && [ -e MODULE.bazel ] &&
		! grep -q 'config=offline' user.bazelrc 2>/dev/null; then
		echo "To user.bazelrc, for Debian's Bazel: common --config=offline"
		echo 'common --config=offline' >>user.bazelrc
	fi
}

# Prints the Debian packages that are missing. $1: build or test.
deps_missing() {
	deps_have bazel || echo bazel-bootstrap
	deps_have gcc || echo gcc
	[ -e /usr/include/stdio.h ] || echo libc6-dev
	deps_have pkg-config || echo pkg-config
	deps_have protoc-c || echo protobuf-c-compiler
	deps_have_library libprotobuf-c || echo libprotobuf-c-dev
	deps_have_library sqlite3 || echo libsqlite3-dev
	deps_have_library zlib || echo zlib1g-dev
	deps_have_library cmocka || echo libcmocka-dev
	[ -e /usr/include/libiberty/demangle.h ] || echo libiberty-dev
	if [ "$1" = test ]; then
		deps_have git || echo git
		deps_have python3 || echo python3
		deps_have clang || echo clang
		deps_links clang -fsanitize=fuzzer,address || echo libclang-rt-dev
		deps_have_format || deps_later_debian || echo clang-format-14
	fi
}

# install_deps build|test [--yes], in the folder at the top
install_deps() {
	deps_install "$@" && deps_configure
}

deps_install() {
	deps_list=$(deps_missing "$1" | tr '\n' ' ')
	deps_list=${deps_list% }
	[ -n "$deps_list" ] || return 0
	echo "To install (Debian packages): $deps_list"

	if ! deps_have apt-get; then
		echo "install_deps: there is no apt-get here. Install what these Debian packages hold by other means: $deps_list" >&2
		return 1
	fi
	deps_sudo=
	if [ "$(id -u)" -ne 0 ]; then
		if ! deps_have sudo; then
			echo "install_deps: not root, and there is no sudo. As root:" >&2
			echo "    mkdir -p /usr/share/man/man1 && apt-get update && apt-get install --no-install-recommends $deps_list" >&2
			return 1
		fi
		deps_sudo=sudo
		if [ -n "${CI:-}" ] || [ "${2:-}" = --yes ]; then
			:
		elif [ -t 0 ]; then
			printf 'Install them with sudo apt-get? [y/N] '
			read -r deps_answer || deps_answer=
			case $deps_answer in
			[yY]*) ;;
			*)
				echo "install_deps: nothing was installed" >&2
				return 1
				;;
			esac
		else
			echo "install_deps: nobody to ask: run it with --yes to install them with sudo apt-get" >&2
			return 1
		fi
		# Without a terminal sudo must not wait for a password.
		[ -t 0 ] || deps_sudo='sudo -n'
		if ! $deps_sudo true; then
			echo "install_deps: sudo refused. Somebody with the right to must install: $deps_list" >&2
			return 1
		fi
	fi
	# The Java packages below bazel-bootstrap fail in an image that was stripped of it.
	$deps_sudo mkdir -p /usr/share/man/man1
	if ! $deps_sudo apt-get -q update; then
		echo "install_deps: apt-get update failed (no network?). Still missing: $deps_list" >&2
		return 1
	fi
	# shellcheck disable=SC2086 # a list of words
	if ! $deps_sudo env DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends install $deps_list; then
		echo "install_deps: apt-get could not install all of: $deps_list" >&2
		return 1
	fi
	deps_list=$(deps_missing "$1" | tr '\n' ' ')
	if [ -n "$deps_list" ]; then
		echo "install_deps: installed, and still not found: $deps_list" >&2
		return 1
	fi
}

case ${0##*/} in
install_deps.sh)
	deps_what=build
	deps_yes=
	for deps_arg in "$@"; do
		case $deps_arg in
		--yes) deps_yes=--yes ;;
		build | test) deps_what=$deps_arg ;;
		*)
			echo "usage: install_deps.sh [--yes] [build|test]" >&2
			exit 2
			;;
		esac
	done
	cd "${0%install_deps.sh}./.."
	install_deps "$deps_what" "$deps_yes"
	;;
esac
