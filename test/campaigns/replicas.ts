import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { freePort } from '../support/free.port.js';
import type { ReceivedMessage, ReplicaSettings } from './replica.settings.js';

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
  private readonly ears = new Set<(message: ReceivedMessage) => void>();

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

  /** Calls back with all that listeners hear from now on, as they hear it. The function that it gives ends that. */
  onReceived(ear: (message: ReceivedMessage) => void): () => void {
    this.ears.add(ear);
    return () => this.ears.delete(ear);
  }

  /** Stops each in good order and starts it again, one after the other, as a deployment does. */
  async restartOneByOne(): Promise<void> {
    for (const replica of this.replicas.filter(({ alive }) => alive)) {
      await stopInOrder(replica);
      await this.add(replica.name);
    }
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
    await Promise.all(this.replicas.filter(({ alive }) => alive).map(stopInOrder));
  }

  private async add(name: string): Promise<void> {
    const port = await freePort();
    const child = fork(REPLICA, [], {
      execArgv: [...CONDITIONS, '--import', REGISTER],
      env: { ...process.env, REPLICA: JSON.stringify(this.settings(name, port)), NODE_OPTIONS: '' },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const replica: Replica = { name, port, process: child, alive: false };
    const ready = new Promise<string>((resolve) => {
      child.on('message', (message: ReceivedMessage | 'ready') => {
        if (message === 'ready') resolve(message);
        else for (const ear of this.ears) ear(message);
      });
    });
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

async function stopInOrder(replica: Replica): Promise<void> {
  // Nobody new is sent to it.
  replica.alive = false;
  const { process: child } = replica;
  child.kill('SIGTERM');
  const deadline = setTimeout(() => child.kill('SIGKILL'), 15_000);
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  clearTimeout(deadline);
}
