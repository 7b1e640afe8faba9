#!/usr/bin/env bash
# Redoes the proofs; installs the tools that they need where they are missing (Debian, Ubuntu). About 12 minutes on 2 cores.
set -euo pipefail
cd "$(dirname "$0")/.."
for tool in coqc z3 cvc5 spin gcc; do
	if ! command -v "$tool" >/dev/null; then
		as_root=()
		if [ "$(id -u)" != 0 ]; then
			as_root=(sudo)
		fi
		"${as_root[@]}" apt-get update
		"${as_root[@]}" apt-get install -y --no-install-recommends coq z3 cvc5 spin gcc libc6-dev
		break
	fi
done
go run . audit
