#!/usr/bin/env bash
# R for 64-bit Arm, from Debian's packages, under qemu: installs the package and runs the R tests that
# CRAN would run, without most of the suggested packages. On a Debian for x86-64, whose release is
# taken; as root. Compilers and all other programs are the machine's own: R and its
# packages are laid over its files, for this script alone. The last line is the sum of the tests.
# Usage: tools/test-arm-r.sh
set -euo pipefail
cd "$(dirname "$0")/.."

. tools/own-mounts.sh
own_mounts "$@"

kept=$PWD/.arm-r # downloads, for the next time
work=$(mktemp -d)
root=$work/root
registered=
clean_up() {
  [ -z "$registered" ] || echo -1 >"$registered"
  umount --recursive --lazy "$work" && rmdir "$work"
}
trap clean_up EXIT

# Packages for Arm, with all that they need, from where this machine has its own. The machine does
# not come to know of them.
download() {
  local apt=(apt-get -qq -o APT::Architecture=arm64 -o APT::Architectures=arm64
    -o "Dir::State=$kept" -o "Dir::State::status=$kept/status" -o "Dir::Cache=$kept")
  mkdir -p "$kept"/{lists,archives}/partial
  : >"$kept/status"
  "${apt[@]}" update
  "${apt[@]}" autoclean
  "${apt[@]}" install -y --no-install-recommends --download-only r-base-core r-cran-cli \
    r-cran-testthat r-cran-survival r-cran-matrix r-cran-cluster r-cran-fastcluster >/dev/null
}

# R and the libraries for Arm. The names gcc and so on stand for compilers to Arm.
unpack() {
  local all=$work/all layer=$work/layer deb name
  mkdir -p "$all/usr/lib" "$layer"/{usr/lib,usr/bin,etc}
  ln -s usr/lib "$all/lib"
  for deb in "$kept"/archives/*.deb; do
    dpkg-deb --fsys-tarfile "$deb" | tar -x --keep-directory-symlink -C "$all"
  done
  mv "$all"/usr/lib/{R,aarch64-linux-gnu,ld-linux-aarch64.so.1} "$layer/usr/lib"
  mv "$all/etc/R" "$layer/etc"
  rm -rf "$all"
  for name in blas lapack; do ln -s "$name/lib$name.so.3" "$layer/usr/lib/aarch64-linux-gnu"; done
  for name in gcc g++ strip; do ln -s "aarch64-linux-gnu-$name" "$layer/usr/bin/$name"; done
  # No package of the machine's own R is seen.
  /usr/bin/python3 -c 'import os, sys; os.setxattr(sys.argv[1], "trusted.overlay.opaque", b"y")' \
    "$layer/usr/lib/R/site-library"
}

# Has the kernel run programs for Arm by qemu, unless it does, as long as this script runs.
run_arm() {
  local binfmt=/proc/sys/fs/binfmt_misc ones='\xff\xff\xff\xff\xff\xff\xff'
  local zeros='\x00\x00\x00\x00\x00\x00\x00\x00'
  [ -e $binfmt/register ] || mount -t binfmt_misc none $binfmt
  ! grep -qs '^interpreter.*aarch64' $binfmt/* || return 0
  printf '%s' ":pcfdist-arm:M::\x7fELF\x02\x01\x01\x00$zeros\x02\x00\xb7\x00:" \
    "$ones\x00$ones\xff\xfe\xff\xff\xff:$(command -v qemu-aarch64-static):FP" >"$work/entry"
  cat "$work/entry" >$binfmt/register
  registered=$binfmt/pcfdist-arm
}

in_arm() {
  chroot "$root" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
    MAKEFLAGS="-j$(nproc)" PCFDIST_CUDA=no R_LIBS=/pcfdist/.lib NOT_CRAN=false \
    bash -c "cd /pcfdist && $1" </dev/null
}

mount -t tmpfs -o mode=755 tmpfs "$work"
mkdir -p "$work"/{upper,scratch,root}
download
unpack
run_arm
mount -t overlay -o "lowerdir=$work/layer:/,upperdir=$work/upper,workdir=$work/scratch" overlay "$root"
for folder in proc dev dev/shm; do mount --bind "/$folder" "$root/$folder"; done
mkdir "$root/pcfdist"
tools/copy-tree.sh "$root/pcfdist"

in_arm "Rscript -e 'cat(R.version.string, R.version\$arch, fill = TRUE)'"
in_arm "tools/install.sh .lib"
in_arm "Rscript tools/run-testthat.R"
