#!/usr/bin/env bash
# What other programs read of the command: the schema of -json, gotestsum, the workflow for GitHub by actionlint and as a runner runs it, a schedule under Delve, completions of three shells; installs zsh and fish where they are missing (Debian). About 2 minutes.
set -euo pipefail
cd "$(dirname "$0")/readers"
../need-cc.sh
if ! command -v zsh >/dev/null || ! command -v fish >/dev/null; then
	as_root=()
	if [ "$(id -u)" != 0 ]; then
		as_root=(sudo)
	fi
	"${as_root[@]}" apt-get update
	"${as_root[@]}" apt-get install -y --no-install-recommends zsh fish
fi
go vet ./...
go test -count=1 ./... "$@"
cd ../..
SUREWAKE_SHELLS=1 go test -count=1 -run Complet .
