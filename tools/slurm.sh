#!/usr/bin/env bash
# A Slurm of one node with two GPUs that are none (/dev/null and /dev/zero), all of its files in
# DIR: for tests of jobs. Needs root.
# Usage: tools/slurm.sh start DIR, and tools/slurm.sh stop DIR; SLURM_CONF is DIR/slurm.conf.
set -euo pipefail

# They write into DIR until they have ended.
stop() {
  local name pid
  for name in slurmd slurmctld munged; do
    pid=$(cat "$1/run/$name.pid" 2>/dev/null) || continue
    kill "$pid" 2>/dev/null || continue
    for _ in $(seq 100); do
      kill -0 "$pid" 2>/dev/null || break
      sleep 0.1
    done
  done
}

# Memory is not counted, and the daemons answer on this machine alone.
configure() {
  local dir=$1 host=$2
  cat >"$dir/slurm.conf" <<CONF
ClusterName=trial
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$dir/munge/socket
SlurmctldPort=16817
SlurmdPort=16818
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool
SlurmctldPidFile=$dir/run/slurmctld.pid
SlurmdPidFile=$dir/run/slurmd.pid
SlurmctldLogFile=$dir/log/slurmctld.log
SlurmdLogFile=$dir/log/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
ReturnToService=2
SwitchType=switch/none
GresTypes=gpu
SchedulerParameters=sched_interval=2
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) Gres=gpu:2 State=UNKNOWN
PartitionName=main Nodes=$host Default=YES MaxTime=INFINITE State=UP
CONF
  printf 'NodeName=%s Name=gpu File=/dev/null\nNodeName=%s Name=gpu File=/dev/zero\n' \
    "$host" "$host" >"$dir/gres.conf"
}

start() {
  local dir host
  dir=$(mkdir -p "$1" && cd "$1" && pwd)
  host=$(hostname)
  mkdir -p "$dir"/{state,spool,run,log,munge}
  chmod 700 "$dir/munge"
  (umask 077 && head -c 1024 /dev/urandom >"$dir/munge/key")
  configure "$dir" "$host"
  export SLURM_CONF=$dir/slurm.conf
  munged --force --key-file="$dir/munge/key" --socket="$dir/munge/socket" \
    --pid-file="$dir/run/munged.pid" --log-file="$dir/log/munged.log" \
    --seed-file="$dir/munge/seed"
  slurmctld -f "$dir/slurm.conf"
  slurmd -f "$dir/slurm.conf" -N "$host"
  for _ in $(seq 60); do
    if sinfo -h -o %T 2>/dev/null | grep -q idle; then return; fi
    sleep 0.5
  done
  tail -n 5 "$dir"/log/*.log >&2
  return 1
}

"$1" "$2"
