#!/usr/bin/env bash
# What is tested on Debian 13, with a copy of the sources, in a folder that debootstrap fills once and
# that later runs use again. As root. The last line is the sum of the tests.
# Usage: tools/test-debian.sh amd64|arm64
#
# amd64: make demo and make test, the commands of README.md, and make check, which is R CMD check
#   --as-cran. The folder is .debian13/, or what PCFDIST_DEBIAN13 names.
# arm64: R itself and the package under qemu, with the R tests that CRAN would run. Kept short: most
#   suggested packages are not there. The folder is .debian13-arm/, or PCFDIST_DEBIAN13_ARM.
set -euo pipefail
cd "$(dirname "$0")/.."

# Mounts are seen by this process and its children alone, and end with them, however they end.
if [ "${2:-}" != in-namespace ]; then
  case ${1:-} in amd64 | arm64) ;; *)
    echo "usage: $0 amd64|arm64" >&2
    exit 2
    ;;
  esac
  if [ "$(id -u)" -ne 0 ]; then
    echo "pcfdist: another Debian can be set up and entered by root only" >&2
    exit 1
  fi
  exec unshare --mount --propagation private --pid --fork --kill-child "$0" "$1" in-namespace
fi

architecture=$1
root=${PCFDIST_DEBIAN13:-$PWD/.debian13}
[ "$architecture" = amd64 ] || root=${PCFDIST_DEBIAN13_ARM:-$PWD/.debian13-arm}
log=$(mktemp)
work=
registered=
clean_up() {
  [ -z "$registered" ] || echo -1 >"$registered"
  rm -rf "$log" ${work:+"$work"}
}
trap clean_up EXIT

# Has the kernel run programs for Arm by qemu, unless it does, as long as this script runs.
run_arm() {
  local binfmt=/proc/sys/fs/binfmt_misc elf='\x7fELF\x02\x01\x01\x00' none='\x00\x00\x00\x00\x00\x00\x00\x00'
  local all='\xff\xff\xff\xff\xff\xff\xff'
  [ -e $binfmt/register ] || mount -t binfmt_misc none $binfmt
  ! grep -qs '^interpreter.*aarch64' $binfmt/* || return 0
  echo ":pcfdist-arm:M::$elf$none\x02\x00\xb7\x00:$all\x00$all\xff\xfe\xff\xff\xff:$(command -v qemu-aarch64-static):FP" \
    >$binfmt/register
  registered=$binfmt/pcfdist-arm
}

# Packages come from where this machine has its own, if it is a Debian, and in the same way.
mirror() {
  local found
  found=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' \
    'Label: Debian' 2>/dev/null | sed -n 1p) || true
  echo "${found:-http://deb.debian.org/debian}"
}

apt_settings() { apt-config dump 2>/dev/null | grep -E '^Acquire::(https?::Proxy|Check-)' || true; }

set_up() {
  local proxy
  proxy=$(apt_settings | sed -n 's/^Acquire::http::Proxy "\(.*\)";/\1/p')
  [ -z "$proxy" ] || export http_proxy=$proxy
  echo "pcfdist: Debian 13 for $architecture is set up in $root, once"
  rm -rf --one-file-system "$root.unfinished" # of a run that was cut off
  mkdir -p "$root.unfinished"
  if ! debootstrap --arch="$architecture" --variant=minbase --include=make trixie \
    "$root.unfinished" "$(mirror)" >"$log" 2>&1; then
    cat "$log"
    exit 1
  fi
  mv "$root.unfinished" "$root"
}

in_debian() {
  chroot "$root" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
    APT_CONFIG="${work#"$root"}/apt.conf" ${http_proxy:+"http_proxy=$http_proxy"} \
    make --no-print-directory -C "${work#"$root"}/pcfdist" "$@" </dev/null
}

[ "$architecture" = amd64 ] || run_arm
[ -e "$root" ] || set_up
if ! grep -qs '^13' "$root/etc/debian_version"; then
  echo "pcfdist: there is no Debian 13 in $root; the environment can name another folder" >&2
  exit 1
fi
mount -t proc proc "$root/proc"
mount -t tmpfs tmpfs "$root/dev/shm"
mount --bind /etc/resolv.conf "$root/etc/resolv.conf"
work=$(mktemp -d "$root/tmp/pcfdist.XXXXXX")
apt_settings >"$work/apt.conf"
mkdir "$work/pcfdist"
tools/copy-tree.sh "$work/pcfdist"

status=0
if [ "$architecture" = amd64 ]; then
  in_debian demo || status=1
  in_debian test 2>&1 | tee "$log" || status=1
  in_debian check || status=1
else
  in_debian test-r NOT_CRAN=false 2>&1 | tee "$log" || status=1
fi
[ "$status" -eq 0 ] || echo "FAILED on Debian 13 for $architecture"
grep -E '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' "$log" | tail -n 1
exit "$status"
