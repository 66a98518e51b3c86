#!/usr/bin/env bash
# The two commands of README.md, make demo and make test, and make check, which is R CMD check
# --as-cran, on Debian 13: for a copy of the sources, in a folder that debootstrap fills once and that
# later runs use again. This is .debian13/, or what PCFDIST_DEBIAN13 names. The last line is the sum of the tests. Needs root.
set -euo pipefail
cd "$(dirname "$0")/.."

. tools/own-mounts.sh
own_mounts "$@"

root=${PCFDIST_DEBIAN13:-$PWD/.debian13}
log=$(mktemp)
work=
trap 'rm -rf "$log" ${work:+"$work"}' EXIT

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
  echo "pcfdist: setting up Debian 13 in $root; later runs use it again"
  rm -rf --one-file-system "$root.unfinished" # of a run that was cut off
  mkdir -p "$root.unfinished"
  if ! debootstrap --variant=minbase --include=make trixie "$root.unfinished" "$(mirror)" \
    >"$log" 2>&1; then
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

[ -e "$root" ] || set_up
if ! grep -qs '^13' "$root/etc/debian_version"; then
  echo "pcfdist: $root does not contain Debian 13; set PCFDIST_DEBIAN13 to use another folder" >&2
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
in_debian demo || status=1
in_debian test 2>&1 | tee "$log" || status=1
in_debian check || status=1
[ "$status" -eq 0 ] || echo "FAILED on Debian 13"
grep -E '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' "$log" | tail -n 1
exit "$status"
