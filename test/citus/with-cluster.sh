#!/usr/bin/env bash
# Runs a command beside a Citus cluster of its own, a coordinator and two workers, which is gone afterwards:
#   test/citus/with-cluster.sh node test/run.ts vendors
# The command finds it by DATABASE_URL (an empty database, as a role that is no superuser) and CITUS_NODES (the superuser's addresses, the
# coordinator's first). test/server.ts makes a database on all three for each test file. Needs what build.sh needs.
set -euo pipefail
cd "$(dirname "$0")"
bin=$(./build.sh)

parent=/tmp room=$(df --output=avail -k /dev/shm 2>/dev/null | tail -n 1) || true
[ "${room:-0}" -lt 4000000 ] || parent=/dev/shm
folder=$(mktemp -d "$parent/atrium-citus.XXXXXX")
account=()
if [ "$(id -u)" = 0 ]; then
  chown postgres "$folder"
  account=(runuser -u postgres --)
fi
nodes=(coordinator worker1 worker2)
stop() {
  for node in "${nodes[@]}"; do "${account[@]}" "$bin/pg_ctl" -D "$folder/$node" -m immediate stop >/dev/null 2>&1 || true; done
  rm -rf "$folder"
}
trap stop EXIT

free_ports() { node -e 'const { createServer } = require("net"); const all = Array.from({ length: +process.argv[1] }, () => createServer().listen(0, "127.0.0.1"))
  Promise.all(all.map((one) => new Promise((done) => one.on("listening", done)))).then(() => { console.log(all.map((one) => one.address().port).join(" ")); all.map((one) => one.close()) })' "$1"; }
read -ra ports <<<"$(free_ports ${#nodes[@]})"

urls=()
for n in "${!nodes[@]}"; do
  node=${nodes[$n]} port=${ports[$n]}
  "${account[@]}" "$bin/initdb" -D "$folder/$node" -U postgres -A trust -E UTF8 --locale=C.UTF-8 --no-sync >/dev/null
  cat >>"$folder/$node/postgresql.conf" <<CONF
port = $port
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
shared_preload_libraries = 'citus'
lc_messages = 'C'
wal_level = logical
max_connections = 400
max_prepared_transactions = 400
max_worker_processes = 100
max_wal_size = 256MB
shared_buffers = 64MB
fsync = off
synchronous_commit = off
full_page_writes = off
autovacuum = off
citus.enable_unsafe_triggers = on
citus.shard_count = ${CITUS_SHARDS:-4}
citus.enable_stat_counters = on
citus.enable_change_data_capture = off
CONF
  "${account[@]}" "$bin/pg_ctl" -D "$folder/$node" -l "$folder/$node.log" -w start >/dev/null
  urls+=("postgresql://postgres@127.0.0.1:$port/postgres")
  # No superuser: what docs/scaling.md asks for, and CREATEDB for the tests' own databases.
  "$bin/psql" -qX "${urls[$n]}" -c 'CREATE ROLE atrium_ci LOGIN CREATEDB CREATEROLE' -c 'CREATE DATABASE atrium_ci OWNER atrium_ci'
done
echo "Citus runs on the ports ${ports[*]}" >&2

cd ../..
export CITUS_NODES="${urls[*]}" DATABASE_URL="postgresql://atrium_ci@127.0.0.1:${ports[0]}/atrium_ci"
"$@"
