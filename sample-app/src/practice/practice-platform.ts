import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { PaymentsOptions } from '@tillkit/payments';
import { findPort } from '../port-finder.js';
import { ShopStartError } from '../shop.settings.js';

/** A simulated platform. */
export interface PracticePlatform {
  /** The id of the data that the platform has. A platform with another id has none of it. */
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
const STOP_MS = 5_000;

/** The default credentials of `npx @tillkit/simulator`. */
const CREDENTIALS = {
  clientId: 'simulator-client-id',
  clientSecret: 'simulator-client-secret',
  apiKey: 'simulator-api-key',
};

/** Returns the payments options of a shop at `publicUrl` that uses this platform. */
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
    // By default a call that fails is repeated for three days before it is a dead letter.
    listeners: { retryScheduleMs: [1_000, 5_000] },
  };
}

/**
 * Starts the simulator in a separate process. Like a real platform, it keeps running when the shop is killed. The next start of the shop
 * finds it through a file in `dataDir`. If it was stopped, the next simulator goes on with its data.
 * @param signal aborts the start and stops the new process
 */
export async function startPracticePlatform(
  dataDir: string,
  signal?: AbortSignal,
): Promise<PracticePlatform> {
  await mkdir(dataDir, { recursive: true });
  const file = join(dataDir, 'practice-platform.json');
  const dataFile = join(dataDir, 'practice-platform.data');
  const last = await readLast(file);
  let running = last;
  if (!running || !(await answers(running.url))) {
    const isKept = existsSync(dataFile);
    const { pid, url } = await launch(await findPort(PREFERRED_PORT), dataFile, signal);
    running = { id: last && isKept ? last.id : randomUUID(), pid, url };
    await writeFile(file, JSON.stringify(running));
  }
  const { id, pid, url } = running;
  return { ...CREDENTIALS, id, url, stop: () => end(pid) };
}

interface Running {
  readonly id: string;
  readonly pid: number;
  readonly url: string;
}

/** Finds the platform that this start or an earlier one has started. */
async function readLast(file: string): Promise<Running | null> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Running;
  } catch {
    return null;
  }
}

/** Stops the platform, and waits until it has written its data. */
async function end(pid: number): Promise<void> {
  const giveUpAt = Date.now() + STOP_MS;
  try {
    for (process.kill(pid, 'SIGTERM'); Date.now() < giveUpAt; await sleep(20)) process.kill(pid, 0);
  } catch {
    // The process has ended.
  }
}

async function launch(
  port: number,
  dataFile: string,
  signal: AbortSignal | undefined,
): Promise<Omit<Running, 'id'>> {
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(
    process.execPath,
    [...process.execArgv, simulatorCommand(), '--port', String(port), '--data', dataFile],
    { detached: true, stdio: 'ignore' },
  );
  child.unref();
  const giveUpAt = Date.now() + START_MS;
  while (!(await answers(url))) {
    if (child.exitCode !== null || Date.now() > giveUpAt || signal?.aborted) {
      child.kill();
      signal?.throwIfAborted();
      throw new ShopStartError(
        `The simulated platform did not start. To see why, run npx @tillkit/simulator --port ${port} --data ${dataFile}`,
      );
    }
    await sleep(50);
  }
  return { pid: child.pid as number, url };
}

/** Returns the entry point of the simulator's command: JavaScript after a build, TypeScript in tests of the sources. */
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
