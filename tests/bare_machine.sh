#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The first commands of README.md, as they stand there, on a Debian 12 that has nothing but git. Needs root and debootstrap.
set -euo pipefail
source_tree=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# Whatever is mounted below vanishes with this process.
if [ "${1:-}" != apart ]; then exec unshare --mount "${BASH_SOURCE[0]}" apart; fi

machine=$(mktemp -d)
trap 'umount -R "$machine"/{proc,dev,repository} 2>/dev/null || true; rm -rf "$machine"' EXIT

# From where, and how, this machine itself gets its packages.
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Codename: bookworm' | head -n 1)
debootstrap --variant=minbase --include=git,ca-certificates bookworm "$machine" "$mirror" >"$machine.log" 2>&1 ||
  { cat "$machine.log"; exit 1; }
rm "$machine.log"
rm "$machine/etc/apt/sources.list"
cp -r /etc/apt/. "$machine/etc/apt/"
cp /etc/resolv.conf "$machine/etc/"
mkdir "$machine/repository"
mount --rbind /proc "$machine/proc"
mount --rbind /dev "$machine/dev"
mount --bind "$source_tree" "$machine/repository"

# The first block below "## Start".
commands=$(awk '/^## Start/ {found = 1} found && /^```/ {if (inside) exit; inside = 1; next} inside' "$source_tree/README.md")
[[ $commands == *"<this repository>"* ]] || { echo "README.md does not begin with a clone"; exit 1; }
printf '%s\n' "${commands//<this repository>/\/repository}" >"$machine/commands"
echo "README.md says:"
cat "$machine/commands"
chroot "$machine" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin ${http_proxy:+http_proxy="$http_proxy"} \
  ${https_proxy:+https_proxy="$https_proxy"} \
  bash -ec 'git config --global --add safe.directory "*" && cd && . /commands'
