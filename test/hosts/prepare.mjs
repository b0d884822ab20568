/** Installs the database libraries of hosts, and generates the client of Prisma. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { installTools } from '../../scripts/tools.mjs';

const HERE = import.meta.dirname;

installTools('test/hosts');
if (!existsSync(join(HERE, 'generated/prisma'))) {
  execFileSync('node_modules/.bin/prisma', ['generate', '--schema', 'prisma/schema.prisma'], {
    cwd: HERE,
    stdio: ['ignore', 'ignore', 'inherit'],
    // Prisma would download its schema engine, which generating does not need.
    env: { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath },
  });
}
