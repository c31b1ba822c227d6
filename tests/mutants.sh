#!/usr/bin/env bash
# Mutation testing of server/domain: changes its code in every way that cargo-mutants knows and
# expects the crate's own tests to fail each time. Fails when a survivor is not in
# tests/mutants.txt, when a name in that file is no mutant's, or when less than 97% of the mutants
# that compile are caught. Accepted ones and those that run into the time limit do not count as
# caught.
# Arguments go to cargo-mutants: `tests/mutants.sh --file server/domain/src/money.rs` tries one
# file, `--iterate` leaves out what the last run caught. A part is judged by its survivors alone.
set -euo pipefail
cd "$(dirname "$0")/.."
min_caught_percent=97
out=tests/.cache/mutants
accepted=tests/mutants.txt

mutants=$(tests/setup/mutants.sh)
# Keeps the dependencies, because cargo-mutants builds in another copy of the tree each time.
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/$out/target}
# Builds faster. Mutants are not debugged.
export CARGO_PROFILE_DEV_DEBUG=false
# A quarter of the random cases, because they take most of a mutant's time.
export PROPTEST_CASES=${PROPTEST_CASES:-64}
# In KiB: ends a mutant that collects for ever before it takes the machine's memory.
ulimit -v $((8 * 1024 * 1024))

mkdir -p "$out"
status=0
"$mutants" mutants --package garimpo-domain --output "$out" --jobs 1 --colors never "$@" || status=$?
# 0: all caught; 2: some missed; 3: some timed out. Everything else is no result.
case $status in 0 | 2 | 3) ;; *) exit "$status" ;; esac

results=$out/mutants.out
count() { cat "${@/#/$results/}" 2>/dev/null | wc -l; }
caught=$(count caught.txt) missed=$(count missed.txt) hung=$(count timeout.txt)
viable=$((caught + missed + hung))
[ "$viable" != 0 ] || { echo "no mutant was tried" >&2; exit 1; }

# Lines and columns move with every change of the file, so they are no part of a name.
normalize() { sed -E 's/:[0-9]+:[0-9]+: /: /' | LC_ALL=C sort; }
survived=$(cat "$results/missed.txt" "$results/timeout.txt" | normalize)
expected=$(sed -E '/^(#|$)/d' "$accepted" | normalize)
new=$(LC_ALL=C comm -23 <(echo "$survived") <(echo "$expected"))
all=$(cat "$results"/{caught,missed,timeout,unviable}.txt | normalize)
unknown=$(LC_ALL=C comm -13 <(echo "$all") <(echo "$expected"))
caught_now=$(LC_ALL=C comm -13 <(echo "$survived") <(echo "$expected"))

printf '%s mutants compile (%s do not): %s caught, %s missed, %s timed out; %s.%s%% caught.\n' \
  "$viable" "$(count unviable.txt)" "$caught" "$missed" "$hung" $((caught * 1000 / viable / 10)) $((caught * 1000 / viable % 10))
failed=0
if [ -n "$new" ]; then
  printf 'Survivors that %s does not accept: write a test, delete the code, or accept them with a reason.\n%s\n' "$accepted" "$new" >&2
  failed=1
fi
if [ $# = 0 ] && [ -n "$unknown" ]; then
  printf 'Names in %s that no mutant has: correct or delete them.\n%s\n' "$accepted" "$unknown" >&2
  failed=1
elif [ $# = 0 ] && [ -n "$caught_now" ]; then
  printf 'Caught this time, so look whether %s still needs them:\n%s\n' "$accepted" "$caught_now"
fi
if [ $# = 0 ] && [ $((caught * 100)) -lt $((viable * min_caught_percent)) ]; then
  echo "At least $min_caught_percent% of the mutants that compile must be caught." >&2
  failed=1
fi
exit $failed
