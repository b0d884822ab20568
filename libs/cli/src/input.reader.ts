import { readFile } from 'node:fs/promises';
import type { CommandContext } from './command-context.js';
import { UsageError } from './command.errors.js';

/** Returns the bytes of a file, or of standard input when none is named, or `-`. */
export async function readInput(
  { readInput: readStandardInput }: CommandContext,
  path: string | undefined,
): Promise<Buffer> {
  return path === undefined || path === '-' ? readStandardInput() : readNamedFile(path);
}

export async function readNamedFile(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    const { code = String(error) } = error as NodeJS.ErrnoException;
    throw new UsageError(`${path} cannot be read (${code}): give the path of a file.`);
  }
}
