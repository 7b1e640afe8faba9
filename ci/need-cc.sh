#!/usr/bin/env bash
# Installs a C compiler, which the race detector needs, where there is none (Debian, Ubuntu). At most a minute.
set -euo pipefail
if command -v "$(go env CC)" >/dev/null; then
	exit 0
fi
as_root=()
if [ "$(id -u)" != 0 ]; then
	as_root=(sudo)
fi
"${as_root[@]}" apt-get update
"${as_root[@]}" apt-get install -y --no-install-recommends gcc libc6-dev
