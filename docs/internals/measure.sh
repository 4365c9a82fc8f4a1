#!/usr/bin/env bash
# Measures this working tree beside nginx and writes docs/internals/measurements.md, with the raw output beside it.
#
#   docs/internals/measure.sh            about twenty minutes; leave the machine alone meanwhile
#   docs/internals/measure.sh --ledger   the ledger alone, eight minutes; the other figures stay as they are
#   docs/internals/measure.sh --gateway  all but the ledger alone, eight minutes; the ledger's figures stay as they are
#   docs/internals/measure.sh --quick    checks the script, not the gateway; writes to cli/target/measurements
#
# Needs nginx, haproxy and wrk (apt-get install nginx-light haproxy wrk).
set -euo pipefail
cd "$(dirname "$0")/../.."

for program in /usr/sbin/nginx /usr/sbin/haproxy /usr/bin/wrk; do
    if [ ! -x "$program" ]; then
        echo "$program is missing: apt-get install nginx-light haproxy wrk" >&2
        exit 1
    fi
done

folder=$PWD/docs/internals/measurements
if [ "${1:-}" = --quick ]; then folder=$PWD/cli/target/measurements/raw; fi

./penstock --version >/dev/null
if [ -z "${JAVA_HOME:-}" ]; then
    for candidate in /usr/lib/jvm/*25*; do JAVA_HOME=$candidate; done
    export JAVA_HOME
fi
./mvnw -B -q -ntp -Dquick -DskipTests -pl cli -am package \
    org.apache.maven.plugins:maven-dependency-plugin:3.11.0:build-classpath \
    -Dmdep.outputFile=target/test-class-path -Dmdep.includeScope=test

case "${1:-}" in
    --ledger) rm -f "$folder"/ledger-*.json "$folder/jmh.json" ;;
    --gateway) rm -f "$folder/results.json" "$folder"/wrk-*.txt ;;
    *) rm -rf "$folder" ;;
esac
mkdir -p "$folder"
commit=$(git rev-parse --short HEAD)
cd cli
class_path="target/test-classes:target/classes:$(cat target/test-class-path)"
java="$JAVA_HOME/bin/java"
lengths='warmup=10 seconds=6 runs=3'
if [ "${1:-}" = --quick ]; then lengths='warmup=2 seconds=1 runs=1'; fi

# The ledger alone, in one process: NAME MODE [OPTION=VALUE ...]
ledger() {
    name=$1
    shift
    echo "ledger: $name" >&2
    # shellcheck disable=SC2086
    "$java" -Xmx512m -XX:+UseParallelGC -cp "$class_path" io.penstock.cluster.admission.LedgerBenchmark \
        "$@" $lengths commit="$commit" 2>"$folder/ledger.log" | json "ledger-$name"
}

# Without the lines before the JSON, which say what database it is.
json() {
    sed -n '/^{/,$p' >"$folder/$1.json"
}

if [ "${1:-}" != --gateway ]; then
    ledger hot hot callers=3072
    ledger hot-1024 hot callers=1024
    ledger full-16 full callers=1024 agents=16
    ledger full-256 full callers=1024 agents=256
    ledger even full rate=4000 agents=16
    ledger refused refused callers=64
    ledger hot-slow hot callers=4096 commit-delay=2000
    ledger full-slow full callers=1024 agents=16 commit-delay=2000
    ledger lanes-slow hot callers=120 replicas=10 lanes=3 commit-delay=2000
    ledger lanes-full hot callers=16384 replicas=10 lanes=3 commit-delay=2000
    rounds=3000
    if [ "${1:-}" = --quick ]; then rounds=60; fi
    "$java" -Xmx512m -XX:+UseParallelGC -cp "$class_path" io.penstock.cluster.admission.LedgerCosts $rounds \
        2>"$folder/ledger.log" | json ledger-costs
    rm "$folder/ledger.log"
    if [ "${1:-}" = --quick ]; then ../docs/internals/jmh.sh "$folder/jmh.json" --quick; else ../docs/internals/jmh.sh "$folder/jmh.json"; fi
fi

if [ "${1:-}" != --ledger ] && [ "${1:-}" != --gateway ]; then
    "$java" -Xmx1g -cp "$class_path" io.penstock.e2e.StopMeasurements "$folder" "$@" >&2
fi

exec "$java" -Xmx512m -cp "$class_path" io.penstock.e2e.Measurements "$folder" "$@"
