#!/usr/bin/env bash
# Measures ours, Go peers and Rust peers in turns, and makes the table and charts. 5 to 8 minutes.
#
#     bench/run.sh                       writes results.json, README.md's table, RESULTS.md, charts
#     bench/run.sh -run '^fib'           only rows whose key matches; prints them, writes nothing
#     bench/run.sh -add '^limiter$'      only rows whose key matches, and surveys whose title does;
#                                        puts them among those of results.json
#     bench/run.sh -against REVISION     ours beside ours with the library of an older revision;
#                                        prints both, and fails if a row is more than 5 % slower
#     bench/run.sh -against BINARY       the same beside a binary that `go build` made here before
set -euo pipefail
cd "$(dirname "$0")"
run= against= add=
while [ $# -gt 0 ]; do
	case "$1" in
	-run | -against | -add)
		[ $# -ge 2 ] || { echo "$1 needs an argument" >&2; exit 2; }
		case "$1" in -run) run="$2" ;; -add) add="$2" ;; *) against="$2" ;; esac
		shift 2
		;;
	*)
		sed -n '2,/^set/s/^# \{0,1\}//p' run.sh >&2
		exit 2
		;;
	esac
done
scratch="$(mktemp -d)"
cleanup() {
	[ ! -d "$scratch/before" ] || git worktree remove --force "$scratch/before"
	rm -rf "$scratch"
}
trap cleanup EXIT
go build -o "$scratch/bench" .

if [ -n "$against" ]; then
	old="$against"
	if [ ! -x "$old" ] || [ -d "$old" ]; then
		# The same benchmarks, with the older library below, which must have what they use.
		git worktree add --quiet --detach "$scratch/before" "$against"
		sed "s#=> ../#=> $scratch/before#" go.mod >"$scratch/go.mod"
		cp go.sum "$scratch/go.sum"
		old="$scratch/old"
		go build -modfile="$scratch/go.mod" -o "$old" .
	fi
	"$scratch/bench" -drive "$scratch/results.json" -old "$old" -before "$against" \
		-run "$run" -surveys=false
	"$scratch/bench" -compare "$scratch/results.json"
	exit
fi

peers=()
if command -v cargo >/dev/null; then
	(cd rust && cargo build --release --locked --quiet)
	peers=(-rust rust/target/release/peers)
elif [ -n "$run$add" ]; then
	echo "without cargo there are no Rust peers" >&2
else
	echo "the table needs the Rust peers, and they cargo" >&2
	exit 1
fi
if [ -n "$run" ]; then
	"$scratch/bench" -drive "$scratch/results.json" "${peers[@]}" -run "$run" -surveys=false
	"$scratch/bench" -print "$scratch/results.json"
	exit
fi
if [ -n "$add" ]; then
	into=(-run "$add" -into results.json)
else
	into=()
fi
"$scratch/bench" -drive "$scratch/results.json" "${peers[@]}" "${into[@]}"
mv "$scratch/results.json" results.json
"$scratch/bench" -render results.json
"$scratch/bench" -print results.json
