#!/usr/bin/env bash
# Runs each fuzz target for 20 seconds (or for the time given, such as 10m).
set -euo pipefail
cd "$(dirname "$0")/.."
found=0
for package in $(go list ./...); do
	listed=$(go test -list '^Fuzz' "$package")
	for target in $(sed -n 's/^\(Fuzz[^ ]*\)$/\1/p' <<<"$listed"); do
		found=$((found + 1))
		echo "$package $target"
		go test -run '^$' -fuzz "^$target\$" -fuzztime "${1:-20s}" "$package"
	done
done
if [ "$found" = 0 ]; then
	echo "no fuzz target found"
	exit 1
fi
