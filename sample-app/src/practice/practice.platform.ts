import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { PaymentsOptions } from '@tillkit/payments';
import { findPort } from '../port.finder.js';

/** A simulated platform. */
export interface PracticePlatform {
  /** Names this run of the platform: when it stops, it forgets everything. */
  readonly id: string;
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly apiKey: string;
  stop(): Promise<void>;
}

export const PRACTICE_TILL = '514459';

const PREFERRED_PORT = 4010;
const START_MS = 15_000;

/** The default credentials of `npx @tillkit/simulator`. */
const CREDENTIALS = {
  clientId: 'simulator-client-id',
  clientSecret: 'simulator-client-secret',
  apiKey: 'simulator-api-key',
};

/** The payments options of a shop at `publicUrl` that uses this platform. */
export function practiceOptions(
  { url, clientId, clientSecret, apiKey }: PracticePlatform,
  publicUrl: string,
): PaymentsOptions {
  return {
    baseUrl: url,
    clientId,
    clientSecret,
    apiKeys: [apiKey],
    publicUrl,
    tillNumber: PRACTICE_TILL,
  };
}

/**
 * Starts the simulator in a separate process. Like a real platform, it keeps running when the shop is killed. The next start
 * of the shop finds it through a file in `dataDir`.
 * @param signal aborts the start and stops the new process
 */
export async function startPracticePlatform(
  dataDir: string,
  signal?: AbortSignal,
): Promise<PracticePlatform> {
  await mkdir(dataDir, { recursive: true });
  const file = join(dataDir, 'practice-platform.json');
  let running = await findRunning(file);
  if (!running) {
    running = await launch(await findPort(PREFERRED_PORT), signal);
    await writeFile(file, JSON.stringify(running));
  }
  const { id, pid, url } = running;
  const stop = async (): Promise<void> => {
    await rm(file, { force: true });
    try {
      process.kill(pid, 'SIGTERM');
    } catch {
      // The process has ended already.
    }
  };
  return { ...CREDENTIALS, id, url, stop };
}

interface Running {
  readonly id: string;
  readonly pid: number;
  readonly url: string;
}

async function findRunning(file: string): Promise<Running | null> {
  try {
    const running = JSON.parse(await readFile(file, 'utf8')) as Running;
    return (await answers(running.url)) ? running : null;
  } catch {
    return null;
  }
}

async function launch(port: number, signal: AbortSignal | undefined): Promise<Running> {
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(
    process.execPath,
    [...process.execArgv, simulatorCommand(), '--port', String(port)],
    { detached: true, stdio: 'ignore' },
  );
  child.unref();
  const giveUpAt = Date.now() + START_MS;
  while (!(await answers(url))) {
    if (child.exitCode !== null || Date.now() > giveUpAt || signal?.aborted) {
      child.kill();
      signal?.throwIfAborted();
      throw new Error(
        `The simulated platform did not start on port ${port}. Run npx @tillkit/simulator --port ${port} to see why.`,
      );
    }
    await sleep(50);
  }
  return { id: randomUUID(), pid: child.pid as number, url };
}

/** The entry point of the simulator's command: JavaScript after a build, TypeScript in tests of the sources. */
function simulatorCommand(): string {
  const entry = import.meta.resolve('@tillkit/simulator');
  return fileURLToPath(new URL(entry.endsWith('.ts') ? './cli.ts' : './cli.js', entry));
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/_simulator`, { signal: AbortSignal.timeout(1_000) });
    const { clientId } = (await response.json()) as { clientId?: string };
    return clientId === CREDENTIALS.clientId;
  } catch {
    return false;
  }
}
