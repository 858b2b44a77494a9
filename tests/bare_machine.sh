#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# README.md's first commands and every test on a Debian 12 that has nothing but git, in an empty environment.
# Needs root and debootstrap.
#
#     who        namespaces   what runs
#     root       granted      README.md's commands as they stand there, then ./run test
#     newcomer   refused      ./run report and ./run test, on what root has built
#     newcomer   granted      the tests whose verdicts depend on what the system grants
#     root       refused      the same tests
#
# The night sets ATTESTONE_UNTIL (tests/night/sample.py). Then ./run test takes a sample of each build; the tests whose
# verdicts depend on what the system grants run as long as there is time, also as newcomer with namespaces refused.
#
# Linux refuses user namespaces in a chroot, and root has no others without CAP_SYS_ADMIN: so it is in most containers.
# Namespaces are granted where the folder becomes the root of all mounts.
set -euo pipefail
script=$(realpath "${BASH_SOURCE[0]}")
source_tree=$(dirname "$(dirname "$script")")
clone=/srv/attestone
confinement='Hostile|Isolation|Program.DescribesThisMachine'

# How this machine itself reaches its network.
variables=()
while IFS= read -r -d '' variable; do
  case ${variable%%=*} in *_proxy | *_PROXY | PIP_*) variables+=("$variable") ;; esac
done < <(env -0)

# What root compiles there may have been compiled here.
cache=$(ccache --get-config=cache_dir 2>/dev/null || true)

# In a mount namespace that ends with the command: enter MACHINE granted|refused USER COMMAND.
enter() {
  local machine=$1 namespaces=$2 user=$3 command=$4 home privileges=()
  [ "$namespaces" = refused ] || mount --bind "$machine" "$machine"
  mount --rbind /proc "$machine/proc"
  mount --rbind /dev "$machine/dev"
  mount --bind -o ro "$source_tree" "$machine/repository"
  [ ! -d "$cache" ] || mount --bind "$cache" "$machine/ccache"
  [ ! -d "$cache" ] || [ "$user" != root ] || variables+=(CCACHE_DIR=/ccache)
  home=$(awk -F : -v user="$user" '$1 == user {print $6}' "$machine/etc/passwd")
  cd "$machine"
  if [ "$namespaces" = granted ]; then
    pivot_root . mnt
    umount --lazy /mnt
  else
    privileges=(--bounding-set=-sys_admin --inh-caps=-sys_admin)
  fi
  exec chroot . setpriv --reuid="$user" --regid="$user" --init-groups "${privileges[@]}" \
    env -i HOME="$home" PATH=/usr/sbin:/usr/bin:/sbin:/bin CI=1 "${variables[@]}" bash -ec "$command"
}
if [ "${1:-}" = enter ]; then enter "${@:2}"; fi

machine=$(mktemp -d) logs=$(mktemp -d) step=0 title=
finish() {
  local status=$? log
  for log in "$logs"/*; do
    printf '\n== the end of %s\n' "$(basename "$log")"
    tail -n 12 "$log"
  done
  rm -rf --one-file-system "$machine" "$logs"
  exit "$status"
}
trap finish EXIT

# inside granted|refused USER COMMAND
inside() {
  printf -v title '%02d %s, namespaces %s' $((++step)) "$2" "$1"
  printf '\n== %s\n%s\n' "$title" "$3"
  unshare --mount --propagation private "$script" enter "$machine" "$@" 2>&1 | tee "$logs/$title"
}

# Fails unless the machine is as the table says.
expect_doctor() {
  inside "$1" "$2" "$clone/build/release/attestone doctor"
  grep -qE "^  own processes +$3" "$logs/$title"
}

mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Codename: bookworm' | head -n 1)
debootstrap --variant=minbase --include=git,ca-certificates bookworm "$machine" "$mirror" >"$logs/00 debootstrap" 2>&1
chmod 755 "$machine"  # mktemp made it root's alone
rm "$machine/etc/apt/sources.list"
cp -r /etc/apt/. "$machine/etc/apt/"
cp /etc/resolv.conf "$machine/etc/"
[ ! -e /etc/pip.conf ] || cp /etc/pip.conf "$machine/etc/"
cp -r /usr/local/share/ca-certificates/. "$machine/usr/local/share/ca-certificates/"
mkdir "$machine"/{repository,ccache}
inside refused root 'update-ca-certificates; useradd --create-home newcomer
  git config --global --add safe.directory "*"'

# The first block below "## Start".
commands=$(awk '/^## Start/ {found = 1} found && /^```/ {if (inside) exit; inside = 1; next} inside' \
  "$source_tree/README.md")
[[ $commands == *"<this repository>"* ]] || { echo "README.md does not begin with a clone"; exit 1; }
inside granted root "cd $(dirname "$clone"); ${commands//<this repository>//repository}"
for user in root newcomer; do
  expect_doctor granted "$user" yes
  expect_doctor refused "$user" no
done

# test_confinement granted|refused USER PART: limited to one part in so many of the time that is left.
test_confinement() {
  local limits=$seed now
  now=$(date +%s)
  [ -z "$until" ] || limits+=" ATTESTONE_UNTIL=$((now + (until - now) / $3))"
  inside "$1" "$2" "cd $clone; $limits OMP_WAIT_POLICY=passive \
    python3 -B tests/night/sampled_ctest.py build/release $((2 * $(nproc))) -R '$confinement'"
}

until=${ATTESTONE_UNTIL:-} seed=${ATTESTONE_SEED:+ATTESTONE_SEED=$ATTESTONE_SEED}
until=${until%.*}
[ -z "$until" ] || until=$((until - 60))  # it takes a minute to remove the machine
test_all="cd $clone; $seed ${until:+ATTESTONE_SAMPLE=30} ./run test"
inside granted root "$test_all"
inside granted root "chown -R newcomer: $clone"
inside refused newcomer "cd $clone; ./run report"
inside refused newcomer "$test_all"
[ -z "$until" ] || test_confinement refused newcomer 3
test_confinement granted newcomer 2
test_confinement refused root 1
