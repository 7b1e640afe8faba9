#!/usr/bin/env bash
# Runs each fuzz target for 50,000 executions, about 10 minutes in all, or as many as are given, such
# as 1000000x. A time, such as 10m, works as well; but before Go 1.27 go test may then fail at the end
# with "context deadline exceeded" and no input (go.dev/issue/75804).
set -euo pipefail
cd "$(dirname "$0")/.."
found=0
for package in $(go list ./...); do
	listed=$(go test -list '^Fuzz' "$package")
	for target in $(sed -n 's/^\(Fuzz[^ ]*\)$/\1/p' <<<"$listed"); do
		found=$((found + 1))
		echo "$package $target"
		go test -run '^$' -fuzz "^$target\$" -fuzztime "${1:-50000x}" -fuzzminimizetime 100x "$package"
	done
done
if [ "$found" = 0 ]; then
	echo "no fuzz target found"
	exit 1
fi
