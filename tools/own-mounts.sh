# For scripts that mount, which source it: begins the script anew, as root, where its mounts are seen by
# it and its children alone, and end with them, however they end. Call it first: own_mounts "$@"
own_mounts() {
  [ "${1:-}" != in-namespace ] || return 0
  if [ "$(id -u)" -ne 0 ]; then
    echo "pcfdist: $0 must be run by root, since it mounts folders" >&2
    exit 1
  fi
  exec unshare --mount --propagation private --pid --fork --kill-child "$0" in-namespace
}
