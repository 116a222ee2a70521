#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Everything that is measured on a GPU, in one call: tests, checking tools, benchmarks, and the comparison with PyTorch.
#
#   bash bench/run.sh [--phases LIST] [--results FOLDER] [--out FOLDER] [--ops LIST] [--filter REGEX]
#
# LIST is some of these, separated by commas; all of them by default:
#   probe      which of compute-sanitizer's tools and ncu work on this machine     at most  3 minutes
#   suite      the GPU suite                                                                4
#   fast_math  the same built with --use_fast_math                                          4
#   sanitize   memcheck, racecheck, synccheck and initcheck on every kernel variant        20, and 5 per op
#   bench      the benchmarks                                                               5 per op
#   torch      PyTorch beside our kernels in one process                                    5
#   merge      medians of all runs of one commit, the table, the plot (matplotlib)          1, needs no GPU
# With --ops (layer_norm,rms_norm) the benchmarks, timed and under the tools, are of those ops alone. On a machine of
# several GPUs the first one is timed, and the suites and the tools run on the others at the same time.
# A run writes to FOLDER/runs/<next number> (--results; default bench/results/<card>) or to --out: per phase
# <phase>.log, the result files <op>.json and layer_norm_vs_torch.json, and summary.json. `merge` reads every
# FOLDER/runs/* and writes FOLDER/<op>.json, layer_norm_vs_torch.json, <op>.md and <op>.svg, of each file's last commit.
#
# Without ROWFOLD_PREBUILT it builds the preset gpu (CUDA compiler, Catch2, Google Benchmark); with it, that folder
# holds what bench/package.sh collected. Exit status: 0 all well, 1 a phase failed, 2 nothing could start.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 2

phases=probe,suite,fast_math,sanitize,bench,torch,merge
results=
out=
ops=     # of the benchmarks, separated by commas; all by default
filter=  # of the benchmarks' cases; all by default
while [ $# -gt 0 ]; do
  if [[ "$1" =~ ^--(phases|results|out|ops|filter)$ && -z "${2:-}" ]]; then
    echo "run.sh: $1 without a value" >&2
    exit 2
  fi
  case "$1" in
    --phases) phases=$2; shift 2 ;;
    --results) results=$2; shift 2 ;;
    --out) out=$2; shift 2 ;;
    --ops) ops=$2; shift 2 ;;
    --filter) filter=$2; shift 2 ;;
    *) echo "run.sh: unknown argument $1" >&2; exit 2 ;;
  esac
done
if ! [[ "$phases" =~ [a-z] && "$phases$ops" =~ ^[a-z0-9_,]*$ ]]; then
  echo "run.sh: a list is names with commas between them, not '$phases' or '$ops'" >&2
  exit 2
fi
for phase in ${phases//,/ }; do
  case "$phase" in
    probe | suite | fast_math | sanitize | bench | torch | merge) ;;
    *) echo "run.sh: unknown phase $phase" >&2; exit 2 ;;
  esac
done

card=$(nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null | head -n 1)
if [ "$phases" != merge ] && [ -z "$card" ]; then
  echo "run.sh: no GPU (nvidia-smi names none)" >&2
  exit 2
fi
if [ -z "$card$results" ]; then
  echo "run.sh: without a GPU, merge needs --results FOLDER" >&2
  exit 2
fi
slug=$(echo "${card#NVIDIA }" | tr 'A-Z' 'a-z' | tr -cs 'a-z0-9\n' '-')
results=${results:-bench/results/$slug}
if [ -z "$out" ] && [ "$phases" != merge ]; then
  run=1
  while [ -e "$results/runs/$run" ]; do run=$((run + 1)); done
  out=$results/runs/$run
fi
out=${out:-$results}
mkdir -p "$out" || exit 2

prebuilt=${ROWFOLD_PREBUILT:-}
if [ -z "$prebuilt" ] && [ "$phases" != merge ]; then
  prebuilt=build/gpu/package
  cmake --preset gpu -DROWFOLD_TEST_FAST_MATH=ON && cmake --build --preset gpu --parallel &&
    bash bench/package.sh build/gpu "$prebuilt" || { echo "run.sh: the build failed" >&2; exit 2; }
fi
for op in ${ops//,/ }; do
  if [ "$phases" != merge ] && [ ! -x "$prebuilt/${op}_bench" ]; then
    echo "run.sh: no benchmark program of $op in $prebuilt" >&2
    exit 2
  fi
done
ROWFOLD_COMMIT=$(cat "${prebuilt:-.}/COMMIT" 2>/dev/null || echo unknown)
ROWFOLD_DRIVER=$(nvidia-smi --query-gpu=driver_version --format=csv,noheader 2>/dev/null | head -n 1)
export ROWFOLD_COMMIT ROWFOLD_DRIVER ROWFOLD_REQUIRE_GPU=1

notes=$out/summary.part  # a line of JSON for each phase, written by whichever process ran it
: >"$notes" || exit 2
trap 'rm -f "$notes"' EXIT
note() {  # note <phase> <passed|failed|skipped> <seconds> <one line>
  printf '%-10s %-8s %4s s  %s\n' "$@"
  printf '{"phase": "%s", "status": "%s", "seconds": %s, "detail": "%s"}\n' "$1" "$2" "$3" \
    "$(tr -d '"\\[:cntrl:]' <<<"$4")" >>"$notes"
}
wanted() { [[ ",$phases," == *",$1,"* ]]; }
budgeted() {  # budgeted <seconds> <log> <command>...: appends to the log; exit status 124 when the time was over
  local seconds=$1 log=$2
  shift 2
  timeout --kill-after=10 "$seconds" "$@" >>"$log" 2>&1
}
last_line() { grep -v '^[[:space:]=-]*$' "$1" | tail -n 1; }
without_colours() { sed 's/\x1b\[[0-9;]*m//g'; }

# What times nothing runs on the machine's other GPUs of this kind, if any, beside what is timed on the first.
export CUDA_DEVICE_ORDER=PCI_BUS_ID  # as nvidia-smi counts them
others=()
if [ "$phases" != merge ] && [ -z "${CUDA_VISIBLE_DEVICES:-}" ]; then
  mapfile -t others < <(nvidia-smi --query-gpu=index,name --format=csv,noheader | tail -n +2 |
    awk -F', ' -v card="$card" '$2 == card { print $1 }')
fi
started=()
aside() {  # aside <command>...: on the next of the other GPUs, without waiting for it; without one, here and now
  if [ ${#others[@]} -eq 0 ]; then
    "$@"
  else
    CUDA_VISIBLE_DEVICES=${others[${#started[@]} % ${#others[@]}]} "$@" &
    started+=($!)
  fi
}

source bench/phases.sh
for phase in probe suite fast_math sanitize bench torch; do
  if wanted "$phase"; then "phase_$phase"; fi
done
for process in "${started[@]}"; do
  wait "$process" || note aside failed 0 "a phase on another GPU ended before it was done"
done
if wanted merge; then phase_merge; fi

status=0
grep -q '"status": "failed"' "$notes" && status=1
expected=${phases//sanitize/${tools[*]}}
for phase in ${expected//,/ }; do
  if ! grep -q "\"phase\": \"$phase\"" "$notes"; then
    echo "run.sh: nothing is known of $phase" >&2
    status=1
  fi
done
if [ "$phases" = merge ]; then exit "$status"; fi
{
  printf '{"gpu": "%s", "gpus": %s, "driver": "%s", "commit": "%s", "date": "%s",\n "phases": [\n' "$card" \
    $((1 + ${#others[@]})) "$ROWFOLD_DRIVER" "$ROWFOLD_COMMIT" "$(date -u +%Y-%m-%dT%H:%M:%SZ)"
  sed -e 's/^/  /' -e '$!s/$/,/' "$notes"
  echo ' ]}'
} >"$out/summary.json" || status=1
echo "results: $out"
exit "$status"
