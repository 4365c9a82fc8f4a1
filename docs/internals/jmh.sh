#!/usr/bin/env bash
# Times the combiner and the pure algebra with JMH and writes the result, docs/internals/measurements/jmh.json if no
# other file is named.
#
#   docs/internals/jmh.sh [FILE]            about two minutes; leave the machine alone meanwhile
#   docs/internals/jmh.sh FILE --quick      checks the script, not the code
#
# The benchmarks are compiled and checked with all other tests. The harness that JMH writes around them is not ours: it
# is made here, from the compiled classes, and compiled without our checks.
set -euo pipefail
result=$(realpath -m "${1:-$(dirname "$0")/measurements/jmh.json}")
cd "$(dirname "$0")/../.."

./penstock --version >/dev/null
if [ -z "${JAVA_HOME:-}" ]; then
    for candidate in /usr/lib/jvm/*25*; do JAVA_HOME=$candidate; done
    export JAVA_HOME
fi
./mvnw -B -q -ntp -Dquick -Pjmh -pl budget,cluster test-compile \
    org.apache.maven.plugins:maven-dependency-plugin:3.11.0:build-classpath \
    -Dmdep.outputFile=target/jmh-class-path -Dmdep.includeScope=test

harness=cluster/target/jmh
rm -rf "$harness"
mkdir -p "$harness/sources" "$harness/classes"
class_path="cluster/target/test-classes:cluster/target/classes:$(cat cluster/target/jmh-class-path)"

"$JAVA_HOME/bin/javac" -nowarn -proc:only -processor org.openjdk.jmh.generators.BenchmarkProcessor \
    -cp "$class_path" -s "$harness/sources" -d "$harness/classes" \
    io.penstock.budget.AlgebraBenchmark io.penstock.cluster.admission.CombinerBenchmark
find "$harness/sources" -name '*.java' >"$harness/list"
"$JAVA_HOME/bin/javac" -nowarn -proc:none -cp "$class_path" -d "$harness/classes" "@$harness/list"

options=(-rf json)
if [ "${2:-}" = --quick ]; then options+=(-wi 0 -i 1 -r 10ms); fi
"$JAVA_HOME/bin/java" -cp "$harness/classes:$class_path" org.openjdk.jmh.Main "${options[@]}" -rff "$result" \
    -jvmArgs '-Xmx512m -XX:+UseParallelGC' >"$harness/log"
echo "$result"
