#!/usr/bin/env bash
# Runs the upgrade test (UpgradeIT) with two real versions: an older commit, built in a worktree of its own, is replaced
# under load by this working tree, replica by replica, and both serve side by side with this tree's schema.
#
#   docs/internals/upgrade-test.sh               the commit before
#   docs/internals/upgrade-test.sh COMMIT        any older one whose schema is the same or one behind
#
# Needs git with that commit's history, and haproxy. MAVEN_ARGS is passed on, for example MAVEN_ARGS=-o.
set -euo pipefail
cd "$(dirname "$0")/../.."

old=$(git rev-parse --verify --quiet "${1:-HEAD~1}^{commit}") || {
    echo "no commit ${1:-HEAD~1} here: is this a shallow clone? git fetch --unshallow" >&2
    exit 2
}
if [ ! -x /usr/sbin/haproxy ] && [ ! -x /usr/local/sbin/haproxy ]; then
    echo "haproxy is missing: apt-get install haproxy" >&2
    exit 2
fi
if [ -z "${JAVA_HOME:-}" ]; then
    for candidate in /usr/lib/jvm/*25*; do JAVA_HOME=$candidate; done
    export JAVA_HOME
fi

scratch=$(mktemp -d)
remove_worktree() {
    git worktree remove --force "$scratch/old" 2>/dev/null || true
    rm -rf --one-file-system "$scratch"
}
trap remove_worktree EXIT
git worktree add --quiet --detach "$scratch/old" "$old"
(cd "$scratch/old" && ./mvnw -B -q -ntp -Dquick -DskipTests -pl cli -am package)

echo "old: $(git log -1 --format='%h %s' "$old")"
echo "new: $(git log -1 --format='%h %s')$(git diff --quiet HEAD || echo ', with changes')"
PENSTOCK_TEST_STRICT=true ./mvnw -B -ntp -Dquick -pl cli -am verify -Dpenstock.old="$scratch/old" \
    -Dpenstock.rate=1000 \
    -Dtest=NoSuchTest -Dit.test=UpgradeIT \
    -Dsurefire.failIfNoSpecifiedTests=false -Dfailsafe.failIfNoSpecifiedTests=false |
    grep -E '^(old: |new: |schema |side by side|rolling upgrade)|Tests run|ERROR|BUILD'
