import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { freePort } from '../support/free.port.js';
import type { ReplicaSettings } from './replica.js';

const REPLICA = fileURLToPath(new URL('./replica.ts', import.meta.url));
const REGISTER = new URL('../support/typescript.register.mjs', import.meta.url).href;

/** Tests of the built packages run replicas on them as well. */
const CONDITIONS = process.env['TEST_TARGET'] === 'dist' ? [] : ['--conditions=@tillkit/source'];

interface Replica {
  name: string;
  port: number;
  process: ChildProcess;
  alive: boolean;
}

/** The replicas of one merchant, each a process that can be killed. */
export class Replicas {
  private readonly replicas: Replica[] = [];

  private constructor(private readonly settings: (name: string, port: number) => ReplicaSettings) {}

  static async start(
    count: number,
    settings: (name: string, port: number) => ReplicaSettings,
  ): Promise<Replicas> {
    const replicas = new Replicas(settings);
    await Promise.all(Array.from({ length: count }, (_, n) => replicas.add(`replica-${n + 1}`)));
    return replicas;
  }

  /** Ports of those that run. */
  ports(): number[] {
    return this.replicas.filter(({ alive }) => alive).map(({ port }) => port);
  }

  /** SIGKILL, and another one in its place. */
  async killOne(random: () => number): Promise<void> {
    const alive = this.replicas.filter((replica) => replica.alive);
    const victim = alive[Math.floor(random() * alive.length)];
    if (!victim) return;
    victim.alive = false;
    victim.process.kill('SIGKILL');
    await this.add(victim.name);
  }

  /** SIGSTOP for a while: longer than a lease, so that another replica takes over. */
  async freezeOne(random: () => number, ms: number): Promise<void> {
    const alive = this.replicas.filter((replica) => replica.alive);
    const victim = alive[Math.floor(random() * alive.length)];
    if (!victim) return;
    victim.process.kill('SIGSTOP');
    await new Promise((resolve) => setTimeout(resolve, ms));
    victim.process.kill('SIGCONT');
  }

  async stop(): Promise<void> {
    const running = this.replicas.filter(({ alive }) => alive);
    for (const replica of running) replica.alive = false;
    await Promise.all(
      running.map(async ({ process: child }) => {
        child.kill('SIGTERM');
        const deadline = setTimeout(() => child.kill('SIGKILL'), 15_000);
        if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
        clearTimeout(deadline);
      }),
    );
  }

  private async add(name: string): Promise<void> {
    const port = await freePort();
    const child = fork(REPLICA, [], {
      execArgv: [...CONDITIONS, '--import', REGISTER],
      env: { ...process.env, REPLICA: JSON.stringify(this.settings(name, port)), NODE_OPTIONS: '' },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const replica: Replica = { name, port, process: child, alive: false };
    const ready = once(child, 'message').then(() => 'ready');
    const ended = once(child, 'exit').then(([code]) => `ended with ${String(code)}`);
    const outcome = await Promise.race([ready, ended]);
    if (outcome !== 'ready') {
      // A database that is away while a replica starts is one of the faults: it is started again, as any supervisor would.
      await new Promise((resolve) => setTimeout(resolve, 500));
      return this.add(name);
    }
    replica.alive = true;
    child.on('exit', () => {
      replica.alive = false;
    });
    this.replicas.push(replica);
  }
}
