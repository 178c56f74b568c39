#!/usr/bin/env bash
# Starts a real Slurm on this machine, in FOLDER, for tests: munged, slurmctld and four slurmd, each
# a node with two GPUs' worth of GRES (character devices that are no GPUs). All of it listens on
# loopback only. `. FOLDER/environment` lets a shell use it; stop_cluster.sh FOLDER ends it, and so
# does the end of process OWNER. Two clusters may run side by side.
# usage: start_cluster.sh FOLDER [OWNER]
# exit:  0 started; 77 cannot be had here (said on stdout); 1 did not come up
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
readonly here nodes=4 first_nodes_port=17001

skip() { echo "SKIPPED: $*"; exit 77; }
((EUID == 0)) || skip "a Slurm of one machine needs root (slurmd, mknod)"
for program in munged slurmctld slurmd sbatch; do
  command -v "$program" >/dev/null || skip "$program is not installed (Debian: slurmctld slurmd slurm-client munge)"
done

mkdir -p "$1"
folder=$(cd "$1" && pwd)
readonly folder owner=${2:-}
chmod 755 "$folder" # munged refuses its socket in a folder that others may write to
mkdir -p "$folder"/{state,munge,log} "$folder"/{spool,tmp}/n{0..3}
chmod 700 "$folder"/munge
: >"$folder/pids"

if ! mknod "$folder/gpu0" c 1 3 || ! mknod "$folder/gpu1" c 1 3; then
  skip "no device nodes can be made here (mknod)"
fi 2>/dev/null
cd "$folder" # the daemons' working folder

# The first of a row of free ports; another cluster may hold others.
free_ports() {
  local count=$1 port=$2 offset
  while ((port < 60000)); do
    for ((offset = 0; offset < count; ++offset)); do
      ! (exec 3<>"/dev/tcp/127.0.0.1/$((port + offset))") 2>/dev/null || break
    done
    ((offset < count)) || { echo "$port" && return; }
    ((port += count))
  done
  return 1
}

# In FOLDER/log/NAME.log, its number noted for stop_cluster.sh.
start() {
  local name=$1
  shift
  setsid "$@" </dev/null >>"$folder/log/$name.out" 2>&1 9>&- &
  echo "$! $name" >>"$folder/pids"
}

head -c 128 /dev/urandom >"$folder/munge/key"
chmod 400 "$folder/munge/key"
chmod 711 "$folder/munge"
start munged munged --foreground --force --key-file="$folder/munge/key" \
  --socket="$folder/munge/socket" --pid-file="$folder/munge/pid" \
  --log-file="$folder/munge/log" --seed-file="$folder/munge/seed"

# Only one cluster at a time chooses ports.
exec 9>/tmp/ptxbatch-slurm-ports.lock
flock 9
port=$(free_ports $((nodes + 1)) "$first_nodes_port")
host=$(hostname -s)

cat >"$folder/slurm.conf" <<CONF
ClusterName=onemachine
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$((port + nodes))
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
# A job that is requeued waits for as long as a credential lives (120 s by default).
AuthInfo=socket=$folder/munge/socket,cred_expire=10
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
StateSaveLocation=$folder/state
SlurmctldPidFile=$folder/slurmctld.pid
SlurmctldLogFile=$folder/log/slurmctld.log
SlurmdSpoolDir=$folder/spool/%n
SlurmdPidFile=$folder/slurmd.%n.pid
SlurmdLogFile=$folder/log/slurmd.%n.log
# Of each node its own: else the PMIx sockets of the nodes collide.
TmpFS=$folder/tmp/%n
SwitchType=switch/none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=pmix
ReturnToService=2
SlurmdParameters=config_overrides
GresTypes=gpu
JobRequeue=1
SchedulerParameters=batch_sched_delay=0,sched_interval=2,sched_min_interval=0
InactiveLimit=0
MinJobAge=3600
PropagateResourceLimits=NONE
NodeName=n[0-$((nodes - 1))] NodeHostname=$host NodeAddr=127.0.0.1 Port=[$port-$((port + nodes - 1))] CPUs=4 RealMemory=4000 Gres=gpu:h100:2
PartitionName=test Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
cat >"$folder/gres.conf" <<CONF
NodeName=n[0-$((nodes - 1))] Name=gpu Type=h100 File=$folder/gpu[0-1]
CONF
# The nodes are one machine, which Open MPI takes for several: shared memory between them fails.
cat >"$folder/environment" <<CONF
export SLURM_CONF=$folder/slurm.conf
export OMPI_MCA_pml=ob1 OMPI_MCA_btl=tcp,self OMPI_MCA_btl_tcp_if_include=lo
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
CONF
# shellcheck source=/dev/null
. "$folder/environment"

for ((i = 0; i < 100; ++i)); do
  [[ ! -S $folder/munge/socket ]] || break
  sleep 0.1
done
start slurmctld slurmctld -D -i
for ((node = 0; node < nodes; ++node)); do start "slurmd.n$node" slurmd -D -N "n$node"; done

if [[ -n $owner ]]; then
  # shellcheck disable=SC2016
  start guard bash -c 'tail --pid="$1" -f /dev/null; exec bash "$2" "$3"' guard "$owner" \
    "$here/stop_cluster.sh" "$folder"
fi

idle_nodes() { sinfo -h -N -t idle -o %N 2>/dev/null | sort -u | wc -l; }
for ((i = 0; i < 300; ++i)); do
  (($(idle_nodes) < nodes)) || { flock -u 9 && exit 0; }
  sleep 0.1
done
echo "the nodes did not come up; logs: $folder/log" >&2
tail -n 5 "$folder"/log/*.log >&2
exit 1
