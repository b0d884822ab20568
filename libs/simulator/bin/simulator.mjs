#!/usr/bin/env node
/** In a clone of the repository this runs the sources, which may have changed since the last build. Elsewhere it runs the built command. */
import { existsSync } from 'node:fs';

const sources = new URL('../../../scripts/typescript/register.mjs', import.meta.url);
if (existsSync(sources)) {
  await import(sources.href);
  await import('../src/cli.ts');
} else await import('../dist/cli.js');
