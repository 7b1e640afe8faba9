#!/usr/bin/env bash
# Verifies, by a program that does not trust the search, that the explored executions of the small checks (up to 4,000
# executions) of the parts are all that there are. At most two minutes on 2 cores.
set -euo pipefail
cd "$(dirname "$0")/.."
least=68
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
go build -o "$out/surewake" .
go build -o "$out/certify" ./model/certify
"$out/surewake" check -race=false -budget 4000x -certify "$out/traces" ./deque ./fork ./injector ./taskstate ./idle ./park >"$out/log" || {
	cat "$out/log"
	exit 1
}
code=0
"$out/certify" "$out/traces"/*.traces | tee "$out/log" || code=$?
if [ "$code" != 0 ] && [ "$code" != 3 ]; then # 3: some are not certifiable
	exit "$code"
fi
certified=$(grep -c '^certified: ' "$out/log")
echo "$certified certified"
if [ "$certified" -lt "$least" ]; then
	echo "$certified checks are certified, fewer than $least"
	exit 1
fi
