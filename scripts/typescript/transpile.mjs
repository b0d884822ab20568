/**
 * TypeScript to JavaScript, one file at a time, without checking types. What was made is kept in node_modules/.cache by its content: a
 * second process that loads the same sources does not even load the compiler.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { threadId } from 'node:worker_threads';

const require = createRequire(import.meta.url);
const { version } = require('@swc/core/package.json');
const CACHE = join(import.meta.dirname, '../../node_modules/.cache/tillkit-sources');
/** Every tool of this repository gives these options to swc. */
export const OPTIONS = {
  swcrc: false,
  sourceMaps: 'inline',
  jsc: {
    target: 'es2023',
    keepClassNames: true,
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: true },
  },
  module: { type: 'es6' },
};
const COMPILER = JSON.stringify([version, OPTIONS]);

mkdirSync(CACHE, { recursive: true });

/**
 * @param {string} path where the text is from: its source map names it
 * @param {string} text
 * @returns {string} an ES module
 */
export function transpile(path, text) {
  const name = basename(path);
  const digest = createHash('sha256').update(`${COMPILER}\0${name}\0${text}`).digest('hex');
  const cached = join(CACHE, `${digest}.mjs`);
  try {
    return readFileSync(cached, 'utf8');
  } catch {
    // The text was not compiled before.
  }
  const { transformSync } = require('@swc/core');
  const { code } = transformSync(text, { ...OPTIONS, filename: path, sourceFileName: name });
  // Others may read or write the same file now: it appears when it is complete.
  const mine = `${cached}.${process.pid}.${threadId}`;
  writeFileSync(mine, code);
  renameSync(mine, cached);
  return code;
}
