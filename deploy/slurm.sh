#!/bin/sh
#SBATCH --job-name=hyfair --output=%x-%a.out --open-mode=append --cpus-per-task=1 --mem=4G --time=24:00:00 --requeue
# Each task of a Slurm array does a shard of an experiment, and goes on with it where it was requeued; docs/user/fleet.md.
#   sbatch --array=1-20 deploy/slurm.sh ablate studies/rq2.yaml
#   SHARDS=20 sbatch --array=3,7 deploy/slurm.sh ablate studies/rq2.yaml    # two of the twenty again
exec hyfair "$@" --shard "$SLURM_ARRAY_TASK_ID/${SHARDS:-$SLURM_ARRAY_TASK_MAX}" --journal "shard$SLURM_ARRAY_TASK_ID.db"
