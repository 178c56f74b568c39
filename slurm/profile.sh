# shellcheck shell=bash disable=SC2034
# The one place for what differs from site to site. Read by submit.sh on the login node and by every
# batch script on its first node. Each value may be set in the environment instead, which wins:
#   PTXBATCH_PARTITION=debug bash slurm/submit.sh slurm/table1.sbatch
# An empty value leaves that option out. For a site of your own, copy this file and set
# PTXBATCH_PROFILE to the copy.

# --- what sbatch is asked for ----------------------------------------------------------------------
: "${PTXBATCH_PARTITION=}"        # partition of the GPU nodes
: "${PTXBATCH_ACCOUNT=}"          # account that pays
: "${PTXBATCH_QOS=}"
: "${PTXBATCH_CONSTRAINT=}"       # features of nodes, for instance h100
: "${PTXBATCH_NODES=1}"
: "${PTXBATCH_GPU_TYPE=}"         # GRES type: h100 asks for gpu:h100:N, empty for gpu:N
: "${PTXBATCH_GPUS_PER_NODE=8}"   # 0: no GRES, for the host target; see PTXBATCH_RANKS_PER_NODE
: "${PTXBATCH_CPUS_PER_RANK=8}"   # compilers and model calls run beside the GPU
: "${PTXBATCH_MEMORY_PER_NODE=0}" # 0: all of a node's memory
: "${PTXBATCH_TIME=24:00:00}"     # a run that takes longer is requeued and goes on
: "${PTXBATCH_STOP_LEAD_S=600}"   # the run is told to stop so long before the time limit
: "${PTXBATCH_SBATCH_OPTIONS=}"   # anything else, in words: "--exclusive --reservation=mine"

# The coordinator on a node of its own, without GPUs: a partition makes it a heterogeneous job.
: "${PTXBATCH_COORDINATOR_PARTITION=}"
: "${PTXBATCH_COORDINATOR_CPUS=4}"

# --- how ranks are started -------------------------------------------------------------------------
: "${PTXBATCH_LAUNCHER=srun}" # or mpirun, where the site's Open MPI knows Slurm and its Slurm no PMIx
: "${PTXBATCH_MPI=pmix}"      # srun --mpi=…; srun --mpi=list shows what there is
: "${PTXBATCH_RANKS_PER_NODE=}" # that judge; empty: one a GPU
: "${PTXBATCH_LAUNCH_OPTIONS=}" # further options of srun or mpirun, in words
: "${PTXBATCH_RUN_OPTIONS=}"    # further options of ptxbatch run, in words: "--max-tokens 5000000"

# --- where things are ------------------------------------------------------------------------------
: "${PTXBATCH_PROGRAM=$PTXBATCH_HOME/build/bin/ptxbatch}"
: "${PTXBATCH_RESULTS=$PTXBATCH_HOME/results}" # on a file system that all nodes share
: "${PTXBATCH_SCRATCH=}" # on each node, fast: TMPDIR of the run; empty: Slurm's, or /tmp
: "${PTXBATCH_KEYS_FILE=}" # export ANTHROPIC_API_KEY=…; read by the job, so that keys need not be in
                           # the environment that sbatch stores
: "${PTXBATCH_ENDPOINTS=$PTXBATCH_RESULTS/endpoints}" # where serve_model.sbatch writes addresses

# --- models that the cluster serves itself (serve_model.sbatch) ------------------------------------
: "${PTXBATCH_SERVE_ENGINE=vllm}" # or sglang
: "${PTXBATCH_SERVE_PARTITION=$PTXBATCH_PARTITION}"
: "${PTXBATCH_SERVE_NODES=1}"     # more than one: sglang alone
: "${PTXBATCH_SERVE_GPUS=$PTXBATCH_GPUS_PER_NODE}" # a node; the model is split over all
: "${PTXBATCH_SERVE_PORT=8000}"
: "${PTXBATCH_SERVE_OPTIONS=}"    # further options of the server, in words
: "${PTXBATCH_SERVE_COMMAND=}"    # in place of an engine's: words, with {model} and {port}
: "${PTXBATCH_AWAIT_S=3600}"      # how long a run waits for a server to be ready

# --- when a step dies ------------------------------------------------------------------------------
: "${PTXBATCH_ATTEMPTS=5}"       # steps in a row that end without one more turn; then the job gives up
: "${PTXBATCH_MAX_REQUEUES=100}" # how often a job that is not done yet may come back

# --- the site's environment: modules, proxy --------------------------------------------------------
# Called by each batch script before it starts anything, and by submit.sh.
site_environment() {
  : # module purge; module load gcc/13 openmpi/4.1 hdf5 cuda/13.0
    # export https_proxy=http://proxy.example.org:3128 no_proxy=localhost,127.0.0.1,.cluster
}
