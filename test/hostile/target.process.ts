import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type {
  TargetEvent,
  TargetMessage,
  TargetPayment,
  TargetSettings,
} from './target.settings.js';

const TARGET = fileURLToPath(new URL('./target.ts', import.meta.url));
const REGISTER = new URL('../support/typescript.register.mjs', import.meta.url).href;
const CONDITIONS = process.env['TEST_TARGET'] === 'dist' ? [] : ['--conditions=@tillkit/source'];

/** The process that is attacked. An unhandled rejection ends it, as it does with any application. */
export class TargetProcess {
  readonly events: TargetEvent[] = [];
  readonly errors: string[] = [];
  readonly warnings: string[] = [];
  readonly startedAt = performance.now();
  payments: TargetPayment[] = [];
  private closing = false;

  private constructor(
    readonly settings: TargetSettings,
    private readonly child: ChildProcess,
  ) {}

  static async start(settings: TargetSettings): Promise<TargetProcess> {
    const child = fork(TARGET, [], {
      execArgv: [...CONDITIONS, '--expose-gc', '--max-old-space-size=512', '--import', REGISTER],
      env: { ...process.env, TARGET: JSON.stringify(settings), NODE_OPTIONS: '' },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const target = new TargetProcess(settings, child);
    await new Promise<void>((resolve, reject) => {
      child.on('message', (message: TargetMessage) => {
        if (message.kind === 'event') target.events.push(message.event);
        else if (message.kind === 'error') target.errors.push(message.line);
        else if (message.kind === 'warning') target.warnings.push(message.line);
        else if (message.kind === 'ready') {
          target.payments = message.payments;
          resolve();
        }
      });
      child.once('exit', (code, signal) => {
        if (!target.closing) target.errors.push(`the process ended: ${code ?? signal}`);
        reject(new Error(`the target ended with ${code ?? signal}`));
      });
    });
    return target;
  }

  get url(): string {
    return `http://127.0.0.1:${this.settings.port}`;
  }

  /** Returns the memory that the operating system counts, after a garbage collection. */
  async restingMb(): Promise<number> {
    this.child.send('memory');
    for (;;) {
      const [message] = (await once(this.child, 'message')) as [TargetMessage];
      if (message.kind === 'memory') return message.rssMb;
    }
  }

  /** Returns the memory now. It is read from outside: the process may be too busy to answer. */
  async residentMb(): Promise<number> {
    const status = await readFile(`/proc/${this.child.pid}/status`, 'utf8').catch(() => '');
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
  }

  async stop(): Promise<void> {
    this.closing = true;
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    this.child.disconnect();
    await once(this.child, 'exit');
  }
}
