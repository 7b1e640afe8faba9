#!/usr/bin/env bash
# Runs all shards of some checks as machines that fail would: out of order, some killed and run again,
# some twice. Their merged result must be that of one process. Then does the same with the plans that
# surewake shard writes: as a cluster of Kubernetes, and as GitHub's runners. About 2 minutes.
set -euo pipefail
cd "$(dirname "$0")/.."
ci/need-cc.sh
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
go build -o "$folder/surewake" .
checks=(-run 'Adds|Small|Choices|Times|Converted' ./testdata/shards)
n=6
shard() {
	exec "$folder/surewake" check -shard "$1/$n" -shard-out "$folder/$1.json" "${checks[@]}" \
		>"$folder/$1.out"
}
rows() { # without what depends on how the work was divided
	grep '"name"' | sed -E 's/"(pruned|steps|seconds)":[^,]*,//g' | sort
}

for k in 5 2 6 1 4 3 2; do
	if ((k % 2 == 0)); then # the first try is killed, early or late
		shard "$k" &
		sleep "0.$((k * 3))"
		kill -9 $! || echo "shard $k had ended"
		wait $! || true
	fi
	(shard "$k")
done
rm "$folder/5.json"
if "$folder/surewake" merge "$folder"/*.json >"$folder/merged" 2>&1; then
	echo "merged without shard 5" >&2
	exit 1
fi
grep 'these are missing: 5' "$folder/merged"
(shard 5)
cp "$folder/5.json" "$folder/once-more.json"
"$folder/surewake" merge -json "$folder"/*.json | rows >"$folder/merged"
"$folder/surewake" check -json "${checks[@]}" | rows >"$folder/one"
diff "$folder/one" "$folder/merged"
cut -c 1-160 "$folder/merged"
cd ci/manifests
go vet ./...
go test -count=1 ./...
