import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { accepts } from '../support/accepts.js';
import { freePort } from '../support/free.port.js';

/** A broker is started with this program, on 127.0.0.1, with its own port and folder. */
export interface BrokerProgram {
  command: string;
  args(port: number, folder: string): string[];
  environment?(port: number, folder: string): Promise<Record<string, string>>;
  /** Ends what outlives the broker. */
  cleanUp?(environment: Readonly<Record<string, string>>): void;
  /** True when the broker serves. It is asked only once the broker accepts connections. */
  isServing?(port: number): Promise<boolean>;
}

/** A real broker in its own process group, which can be killed and started again with what is on its disk. */
export class BrokerProcess {
  private child: ChildProcess | null = null;

  private constructor(
    private readonly program: BrokerProgram,
    readonly port: number,
    private readonly folder: string,
    private readonly environment: Record<string, string>,
  ) {}

  static async start(program: BrokerProgram): Promise<BrokerProcess> {
    const folder = await mkdtemp(join(tmpdir(), 'tillkit-bus-'));
    const port = await freePort();
    await mkdir(join(folder, 'log'));
    const environment = (await program.environment?.(port, folder)) ?? {};
    const broker = new BrokerProcess(program, port, folder, environment);
    // A failure of the harness leaves nothing behind.
    process.once('exit', () => broker.end());
    await broker.start();
    return broker;
  }

  async start(): Promise<void> {
    const { command, args } = this.program;
    this.child = spawn(command, args(this.port, this.folder), {
      env: { ...process.env, ...this.environment },
      stdio: 'ignore',
      // The broker has its own process group, because a script may have started it.
      detached: true,
    });
    for (let attempt = 0; attempt < 3_000; attempt += 1) {
      if (this.child.exitCode !== null) throw new Error(`${command} has ended`);
      if (await this.isServing()) return;
      await sleep(100);
    }
    throw new Error(`${command} does not serve`);
  }

  /** Ends the broker. By SIGKILL, what is only in its memory is lost. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const { child } = this;
    this.child = null;
    if (!child?.pid) return;
    const exited =
      child.exitCode === null && child.signalCode === null ? once(child, 'exit') : null;
    killGroup(child.pid, signal);
    await exited;
    while (await accepts(this.port)) await sleep(50);
  }

  async stop(): Promise<void> {
    await this.kill();
    this.program.cleanUp?.(this.environment);
    await rm(this.folder, { recursive: true, force: true });
  }

  private end(): void {
    if (!this.child) return;
    killGroup(this.child.pid);
    this.program.cleanUp?.(this.environment);
  }

  private async isServing(): Promise<boolean> {
    if (!(await accepts(this.port))) return false;
    return (await this.program.isServing?.(this.port)) ?? true;
  }
}

function killGroup(pid: number | undefined, signal: NodeJS.Signals = 'SIGKILL'): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // The broker has ended already.
  }
}
