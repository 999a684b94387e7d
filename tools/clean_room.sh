#!/bin/bash
# Shows that the README's two commands work on a bare Debian: debootstraps one, puts a clean
# clone of the committed tree in, and runs tools/test.sh or tools/demo.sh there, as root or as an
# ordinary user with sudo. Prints the minutes of each run. Needs root, debootstrap and a network.
#
# usage: clean_room.sh [--suite SUITE] [--as root|user]... [--mirror URL] [--folder DIR] [--keep] [-- COMMAND]
#   --suite    which Debian (default: bookworm, which is 12; sid has the newest compilers and Bazel 7)
#   --as       who runs it; may be given twice (default: root, then user)
#   --mirror   Debian mirror (default: the one that apt uses here)
#   --folder   where the rooms go, 5 GB each (default: a new folder in /var/tmp); the bare system
#              is kept there as base-SUITE.tar and used again
#   --keep     leave the rooms behind
#   COMMAND    run in the clone (default: tools/test.sh, then tools/demo.sh)
#
# Each room lives in mount and process namespaces of its own: nothing of it is mounted or runs
# outside, and all ends with the run, so that removing its folder can reach nothing else.
set -eu
tree=$(cd "$(dirname "$0")/.." && pwd)

die() {
	echo "clean_room: $*" >&2
	exit 1
}

# In the namespaces: mount what a system has, then run COMMAND in the room.
if [ "${1:-}" = --inside ]; then
	room=$2
	who=$3
	command=$4
	mount -t proc proc "$room/proc"
	mount -t tmpfs -o mode=755 dev "$room/dev"
	for node in null zero full random urandom tty; do
		: >"$room/dev/$node"
		mount --bind "/dev/$node" "$room/dev/$node"
	done
	ln -s /proc/self/fd "$room/dev/fd"
	ln -s /proc/self/fd/0 "$room/dev/stdin"
	ln -s /proc/self/fd/1 "$room/dev/stdout"
	ln -s /proc/self/fd/2 "$room/dev/stderr"
	mkdir "$room/dev/shm" "$room/dev/pts"
	mount -t tmpfs -o mode=1777 shm "$room/dev/shm"
	mount -t devpts -o newinstance,ptmxmode=0666 devpts "$room/dev/pts"
	ln -s pts/ptmx "$room/dev/ptmx"
	mount -t tmpfs -o mode=1777 tmp "$room/tmp"
	# Only these reach the room: a proxy, where this machine needs one.
	proxy=()
	for name in http_proxy https_proxy no_proxy; do
		[ -z "${!name:-}" ] || proxy+=("$name=${!name}")
	done
	path=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
	if [ "$who" = root ]; then
		exec chroot "$room" env -i HOME=/root USER=root PATH="$path" TERM=dumb "${proxy[@]}" \
			sh -c "cd /srv/gstrace && $command" </dev/null
	fi
	[ -d "$room/home/guest" ] || chroot "$room" env -i PATH="$path" TERM=dumb "${proxy[@]}" sh -c '
		apt-get -q update &&
		DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends install sudo &&
		useradd -m -s /bin/sh guest &&
		echo "guest ALL=(ALL) NOPASSWD: ALL" >/etc/sudoers.d/guest &&
		chown -R guest:guest /srv/gstrace' >/dev/null
	exec chroot --userspec=guest:guest "$room" env -i HOME="/home/guest" USER=guest PATH="$path" TERM=dumb \
		"${proxy[@]}" sh -c "cd /srv/gstrace && $command" </dev/null
fi

whos=()
suite=bookworm
mirror=
folder=
keep=0
commands=()
while [ $# -gt 0 ]; do
	case $1 in
	--as)
		case ${2:-} in root | user) ;; *) die "--as root or --as user" ;; esac
		whos+=("$2")
		shift
		;;
	--suite)
		suite=${2:?}
		shift
		;;
	--mirror)
		mirror=${2:?}
		shift
		;;
	--folder)
		folder=${2:?}
		shift
		;;
	--keep) keep=1 ;;
	--)
		shift
		commands=("$*")
		break
		;;
	*)
		sed -n '2,/^set /s/^# \{0,1\}//p' "$0" >&2
		exit 2
		;;
	esac
	shift
done
[ ${#whos[@]} -gt 0 ] || whos=(root user)
[ ${#commands[@]} -gt 0 ] || commands=(tools/test.sh tools/demo.sh)

[ "$(id -u)" -eq 0 ] || die "needs root: it makes a root file system"
command -v debootstrap >/dev/null || die "debootstrap is missing (Debian: apt-get install debootstrap)"
unshare -m -p -f true || die "cannot make namespaces here"
if [ -z "$mirror" ]; then
	mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Origin: Debian' 'Codename: bookworm' 'Component: main' 2>/dev/null | head -n 1)
	[ -n "$mirror" ] || die "apt here has no source of Debian 12: say --mirror URL"
fi
[ -z "$(git -C "$tree" status --porcelain)" ] || echo "clean_room: what is not committed is not in the clone"

made=
if [ -z "$folder" ]; then
	folder=$(mktemp -d /var/tmp/gstrace-room.XXXXXX)
	made=$folder
fi
mkdir -p "$folder"
room=
child=
cleanup() {
	if [ -n "$child" ]; then
		# unshare itself ignores the gentler signals; --kill-child takes the room along.
		kill -KILL "$child" 2>/dev/null || :
		wait "$child" 2>/dev/null || :
	fi
	[ "$keep" -eq 1 ] && return
	[ -z "$room" ] || rm -rf --one-file-system "$room"
	[ -z "$made" ] || rm -rf --one-file-system "$made"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

base=$folder/base-$suite
if [ ! -f "$base.tar" ]; then
	start=$SECONDS
	rm -rf --one-file-system "$base"
	# In a mount namespace as well: debootstrap mounts proc in it.
	unshare -m debootstrap --variant=minbase "$suite" "$base" "$mirror" >"$folder/debootstrap.log" 2>&1 ||
		die "debootstrap failed: $(tail -n 3 "$folder/debootstrap.log")"
	# A mirror that stands still is taken as well; its signature is asked for all the same.
	echo 'Acquire::Check-Valid-Until "false";' >"$base/etc/apt/apt.conf.d/90clean-room"
	tar -C "$base" --one-file-system -c . -f "$base.tar.part"
	mv "$base.tar.part" "$base.tar"
	rm -rf --one-file-system "$base"
	echo "clean_room: debootstrap of Debian $suite: $((SECONDS - start)) s"
fi

status=0
summary=
for who in "${whos[@]}"; do
	room=$(mktemp -d "$folder/room-$who.XXXXXX")
	chmod 755 "$room"
	tar -C "$room" -xf "$base.tar"
	# The host's answer to names; the room's own would not be one here.
	cp -L /etc/resolv.conf "$room/etc/resolv.conf"
	printf '127.0.0.1 localhost %s\n' "$(hostname)" >"$room/etc/hosts"
	git clone -q --no-hardlinks "$tree" "$room/srv/gstrace"
	for command in "${commands[@]}"; do
		args=
		# An ordinary user is asked before sudo; nobody is there to answer.
		case $who:$command in
		user:tools/test.sh* | user:tools/demo.sh*) args=' --yes' ;;
		esac
		start=$SECONDS
		result=ok
		log=$folder/$who-$(basename "${command%% *}").log
		# In the background, so that a signal ends it at once.
		unshare -m -p -f --kill-child "$0" --inside "$room" "$who" "$command$args" >"$log" 2>&1 &
		child=$!
		wait "$child" || result=failed
		child=
		[ "$result" = ok ] || status=1
		last=$(tail -n 1 "$log")
		line=$(printf '%-5s %-20s %-6s %4d.%d minutes  %s' "$who" "$command" "$result" \
			$(((SECONDS - start) / 60)) $(((SECONDS - start) % 60 / 6)) "$last")
		echo "$line"
		[ "$result" = ok ] || tail -n 60 "$log"
		summary+=$line$'\n'
	done
	[ "$keep" -eq 1 ] || rm -rf --one-file-system "$room"
	room=
done
echo "== clean room, Debian $suite ($(nproc) cores)"
printf '%s' "$summary"
exit $status
