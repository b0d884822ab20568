import { readFileSync } from 'node:fs';

/** A fault in the library's source that a harness must find (mutation testing). */
export interface SourceFault {
  name: string;
  /** Path below the root of the repository. */
  file: string;
  /** Text to replace. It must be in the file exactly once. */
  find: string;
  replace: string;
}

/** Returns how often the text to replace is in its file. It must be there once. */
export function timesInSource({ file, find }: SourceFault): number {
  const source = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
  return source.split(find).length - 1;
}

/** Returns the environment of a process into which test/support/planted.source.mjs plants the fault. */
export function environmentWith({ file, find, replace }: SourceFault): NodeJS.ProcessEnv {
  return { ...process.env, PLANTED_FAULT: JSON.stringify({ file, find, replace }) };
}
