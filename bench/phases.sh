# SPDX-License-Identifier: MIT
# The phases of run.sh, one function each; sourced by it. They use its variables out, results, prebuilt, ops and filter,
# and report through note().


# Small tensors of widths that between them take each kernel of an op, aligned and not, launched a few times: for runs
# under a checking tool.
check_only=(--check_only=1 --elements=1048576
  '--benchmark_filter=^[a-z0-9_]*/(bfloat16|float)/[0-9]*/(63|64|768|1024|1025|2048|5120|32768)/|_graph_pdl/bfloat16/8/4096/|^vector_add(_peeled|_unaligned)?/bfloat16/')
tools=(memcheck racecheck synccheck initcheck)

# A tool works when it reports a fault that was put there.
sanitizer_works() {  # sanitizer_works <tool>
  local log=$out/probe_$1.log found
  : >"$log"
  budgeted 40 "$log" compute-sanitizer --tool "$1" "$prebuilt/sanitizer_probe" "$1"
  grep -q 'SUMMARY: [1-9]' "$log"
  found=$?
  cat "$log" >>"$out/probe.log"
  rm -f "$log"
  return $found
}

working=()  # what the probe has found
phase_probe() {
  local start=$SECONDS tool
  working=()
  : >"$out/probe.log"
  for tool in "${tools[@]}"; do
    if sanitizer_works "$tool"; then working+=("$tool"); fi
  done
  # A counter of the hardware, at the clocks the card has.
  budgeted 60 "$out/probe.log" ncu --clock-control none --launch-count 1 --metrics dram__bytes_read.sum \
    "$prebuilt/layer_norm_bench" --check_only=1 --elements=65536 '--benchmark_filter=^layer_norm/float/64/1024/' &&
    grep -q 'dram__bytes_read.sum *[KMG]*byte' "$out/probe.log" && working+=(ncu)
  note probe passed $((SECONDS - start)) "working here: ${working[*]:-none}"
}

run_suite() {  # run_suite <phase> <program>
  local start=$SECONDS log=$out/$1.log
  : >"$log"
  if [ ! -x "$prebuilt/$2" ]; then
    note "$1" failed 0 "$2 was not built"
  elif budgeted 240 "$log" "$prebuilt/$2"; then
    note "$1" passed $((SECONDS - start)) "$(last_line "$log")"
  else
    note "$1" failed $((SECONDS - start)) "$(last_line "$log")"
  fi
}
phase_suite() { aside run_suite suite rowfold_gpu_tests; }
phase_fast_math() { aside run_suite fast_math rowfold_gpu_tests_fast_math; }

# Whether the op of a benchmark program is one of --ops; all are, where none are given.
chosen() {  # chosen <program>
  local op
  op=$(basename "$1" _bench)
  [[ ",${ops:-$op}," == *",$op,"* ]]
}

# What the tools watch: the benchmark programs on small tensors, and the suite's cases tagged [race] or [sanitize].
watch() {  # watch <tool>
  local tool=$1 tags='[race],[sanitize]' log=$out/sanitize_$1.log start=$SECONDS tagged detail program names
  local bench_status=0 suite_status=1 result=skipped  # without tagged tests the suite fails
  : >"$log"
  if ! sanitizer_works "$tool"; then
    [[ " ${working[*]} " == *" $tool "* ]] && result=failed  # it did before
    note "$tool" "$result" $((SECONDS - start)) "the tool does not report a planted fault on this machine"
    return
  fi
  for program in "$prebuilt"/*_bench; do
    chosen "$program" || continue
    names=$("$program" "${check_only[@]}" --benchmark_list_tests=true 2>&1)
    if grep -q 'Failed to match any benchmarks' <<<"$names"; then continue; fi  # not of a row op
    budgeted 75 "$log" compute-sanitizer --tool "$tool" --error-exitcode 99 "$program" "${check_only[@]}" ||
      bench_status=$?
  done
  tagged=$("$prebuilt/rowfold_gpu_tests" --list-tests "$tags" 2>/dev/null | grep -cE '\[(race|sanitize)\]')
  if [ "$tagged" -gt 0 ]; then
    budgeted 300 "$log" compute-sanitizer --tool "$tool" --error-exitcode 99 "$prebuilt/rowfold_gpu_tests" "$tags"
    suite_status=$?
  fi
  detail="$(without_colours <"$log" | grep 'SUMMARY' | sed 's/^=* *//' | tr '\n' ';') exit status of benchmarks $bench_status,"
  detail="$detail of $tagged tests $suite_status"
  result=failed
  if [ "$bench_status" -eq 0 ] && [ "$suite_status" -eq 0 ] && grep -q 'SUMMARY: 0' "$log" &&
    ! grep -q 'SUMMARY: [1-9]' "$log"; then
    result=passed
  fi
  note "$tool" "$result" $((SECONDS - start)) "$detail"
}
phase_sanitize() {
  local tool
  for tool in "${tools[@]}"; do aside watch "$tool"; done
}

phase_bench() {
  local start=$SECONDS log=$out/bench.log code=0 cases=0 program op found
  : >"$log"
  for program in "$prebuilt"/*_bench; do
    chosen "$program" || continue
    op=$(basename "$program" _bench)
    budgeted 300 "$log" "$program" --benchmark_out="$out/$op.json" --benchmark_out_format=json \
      ${filter:+"--benchmark_filter=$filter"} || code=$?
    found=$(grep -c '"fraction_of_copy":' "$out/$op.json" 2>/dev/null)  # nothing where the program wrote no file
    cases=$((cases + ${found:-0}))
  done
  local detail failed
  failed=$(grep -c '^FAILED:' "$log")
  detail="$cases benchmarks, $failed failed, exit status $code"
  if [ "$code" -eq 0 ] && [ "$failed" -eq 0 ]; then
    note bench passed $((SECONDS - start)) "$detail"
  else
    note bench failed $((SECONDS - start)) "$detail"
  fi
}

phase_torch() {
  local start=$SECONDS log=$out/torch.log more=()
  : >"$log"
  [ -e "$prebuilt/librowfold_elementwise_c.so" ] &&
    more+=(--vector-add-library "$prebuilt/librowfold_elementwise_c.so")
  PYTHONUNBUFFERED=1 budgeted 300 "$log" python3 -B bench/compare_torch.py \
    --library "$prebuilt/librowfold_layer_norm_c.so" "${more[@]}" --out "$out/layer_norm_vs_torch.json"
  case $? in
    0) note torch passed $((SECONDS - start)) "$(last_line "$log")" ;;
    77) note torch skipped $((SECONDS - start)) "$(last_line "$log")" ;;
    *) note torch failed $((SECONDS - start)) "$(last_line "$log")" ;;
  esac
}

# The files of all runs, merged, with tables and plots; a file from the runs of the last commit that has it.
phase_merge() {
  local start=$SECONDS log=$results/merge.log code=0 file op more runs
  : >"$log"
  while read -r file; do
    mapfile -t runs < <(printf '%s\n' "$results"/runs/*/"$file" | sort --version-sort)
    budgeted 30 "$log" python3 -B bench/merge.py --last-commit "$results/$file" "${runs[@]}" || code=1
  done < <(for file in "$results"/runs/*/*.json; do basename "$file"; done | grep -vx summary.json |
             sort -u)
  for file in "$results"/*.json; do
    op=$(basename "$file" .json)
    grep -q "\"name\": \"$op/" "$file" || continue  # not an op's figures
    more=()
    [ -e "$results/${op}_vs_torch.json" ] && more+=(--comparison "$results/${op}_vs_torch.json")
    [ -e "$results/peers.csv" ] && more+=(--peers "$results/peers.csv")
    budgeted 60 "$log" python3 -B bench/plot.py "$file" --op "$op" --table "$results/$op.md" --svg "$results/$op.svg" \
      "${more[@]}" || code=1
  done
  if [ ! -e "$results/layer_norm.json" ]; then
    echo "no run has a layer_norm.json" >>"$log"
    code=1
  fi
  if [ "$code" -eq 0 ]; then
    rm -f "$log"
    note merge passed $((SECONDS - start)) "tables and plots in $results"
  else
    note merge failed $((SECONDS - start)) "$(last_line "$log")"
  fi
}
