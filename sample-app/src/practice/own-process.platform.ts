import { spawn } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { findPort } from '../port.finder.js';
import { PRACTICE_PORT, PracticePlatform } from './practice.platform.js';

const HOST = '127.0.0.1';
const START_MS = 15_000;

/** What `npx @tillkit/simulator` uses unless told otherwise. */
const CREDENTIALS = {
  clientId: 'simulator-client-id',
  clientSecret: 'simulator-client-secret',
  apiKey: 'simulator-api-key',
};

interface Running {
  pid: number;
  url: string;
}

/**
 * A simulated platform in a process of its own, which goes on when the shop is killed, as a real one would: the shop that
 * is started next finds it again, and with it what its customers did meanwhile.
 */
export class OwnProcessPlatform extends PracticePlatform {
  private constructor(
    private readonly running: Running,
    private readonly file: string,
  ) {
    super({ ...CREDENTIALS, url: running.url });
  }

  /** @param directory where the shop keeps its things; also which platform it used last */
  static async start(directory: string): Promise<OwnProcessPlatform> {
    await mkdir(directory, { recursive: true });
    const file = join(directory, 'practice-platform.json');
    const known = await readRunning(file);
    if (known && (await answers(known.url))) return new OwnProcessPlatform(known, file);
    const running = await launch(await findPort(HOST, PRACTICE_PORT));
    await writeFile(file, JSON.stringify(running));
    return new OwnProcessPlatform(running, file);
  }

  async stop(): Promise<void> {
    await rm(this.file, { force: true });
    try {
      process.kill(this.running.pid, 'SIGTERM');
    } catch {
      // It ended before us.
    }
  }
}

async function launch(port: number): Promise<Running> {
  const url = `http://${HOST}:${port}`;
  const child = spawn(
    process.execPath,
    [...process.execArgv, commandLine(), '--port', String(port)],
    {
      detached: true,
      stdio: 'ignore',
    },
  );
  child.unref();
  const giveUpAt = Date.now() + START_MS;
  while (!(await answers(url))) {
    if (child.exitCode !== null || Date.now() > giveUpAt) {
      throw new Error(`The simulated platform did not start on port ${port}.`);
    }
    await sleep(50);
  }
  return { pid: child.pid as number, url };
}

/** The simulator's own command, beside its entry: JavaScript when built, TypeScript when run from its sources. */
function commandLine(): string {
  const entry = import.meta.resolve('@tillkit/simulator');
  return fileURLToPath(new URL(entry.endsWith('.ts') ? './cli.ts' : './cli.js', entry));
}

async function readRunning(file: string): Promise<Running | null> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Running;
  } catch {
    return null;
  }
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/_simulator`, { signal: AbortSignal.timeout(1_000) });
    const { clientId } = (await response.json()) as { clientId?: string };
    return response.ok && clientId === CREDENTIALS.clientId;
  } catch {
    return false;
  }
}
