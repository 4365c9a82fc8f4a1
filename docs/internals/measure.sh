#!/usr/bin/env bash
# Measures this working tree beside nginx and writes docs/internals/measurements.md, with the raw output beside it.
#
#   docs/internals/measure.sh            about ten minutes; leave the machine alone meanwhile
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

rm -rf "$folder"
cd cli
exec "$JAVA_HOME/bin/java" -Xmx512m -cp "target/test-classes:target/classes:$(cat target/test-class-path)" \
    io.penstock.e2e.Measurements "$folder" "$@"
