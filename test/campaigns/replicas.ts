import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { freePort } from '../support/free.port.js';
import type { ReceivedMessage, ReplicaSettings } from './replica.settings.js';

const REPLICA = fileURLToPath(new URL('./replica.ts', import.meta.url));
const REGISTER = new URL('../support/typescript.register.mjs', import.meta.url).href;

/** Tests of the built packages run replicas on the built packages. */
const CONDITIONS = process.env['TEST_TARGET'] === 'dist' ? [] : ['--conditions=@tillkit/source'];

interface Replica {
  name: string;
  port: number;
  process: ChildProcess;
  alive: boolean;
}

/** The replicas of one application, each in its own process. */
export class Replicas<Settings = ReplicaSettings> {
  private readonly replicas: Replica[] = [];
  private readonly subscribers = new Set<(message: ReceivedMessage) => void>();

  private constructor(
    private readonly settings: (name: string, port: number) => Settings,
    private readonly script: string,
  ) {}

  /** @param script path of the program of a replica. It sends `ready` when it listens */
  static async start<Settings = ReplicaSettings>(
    count: number,
    settings: (name: string, port: number) => Settings,
    script = REPLICA,
  ): Promise<Replicas<Settings>> {
    const replicas = new Replicas<Settings>(settings, script);
    await Promise.all(Array.from({ length: count }, (_, n) => replicas.add(`replica-${n + 1}`)));
    return replicas;
  }

  ports(): number[] {
    return this.replicas.filter(({ alive }) => alive).map(({ port }) => port);
  }

  /** Calls back for each event that a listener receives from now on. The returned function ends this. */
  onReceived(subscriber: (message: ReceivedMessage) => void): () => void {
    this.subscribers.add(subscriber);
    return () => this.subscribers.delete(subscriber);
  }

  /** Stops and restarts the replicas one after the other, as a deployment does. */
  async restartOneByOne(): Promise<void> {
    for (const replica of this.replicas.filter(({ alive }) => alive)) {
      await stopGracefully(replica);
      await this.add(replica.name);
    }
  }

  /** Kills a random replica by SIGKILL, and starts another one. */
  async killOne(random: () => number): Promise<void> {
    const alive = this.replicas.filter((replica) => replica.alive);
    const victim = alive[Math.floor(random() * alive.length)];
    if (!victim) return;
    victim.alive = false;
    victim.process.kill('SIGKILL');
    await this.add(victim.name);
  }

  /** Stops a random replica by SIGSTOP for a time. Longer than a lease, another replica takes over its work. */
  async freezeOne(random: () => number, ms: number): Promise<void> {
    const alive = this.replicas.filter((replica) => replica.alive);
    const victim = alive[Math.floor(random() * alive.length)];
    if (!victim) return;
    victim.process.kill('SIGSTOP');
    await new Promise((resolve) => setTimeout(resolve, ms));
    victim.process.kill('SIGCONT');
  }

  async stop(): Promise<void> {
    await Promise.all(this.replicas.filter(({ alive }) => alive).map(stopGracefully));
  }

  private async add(name: string): Promise<void> {
    const port = await freePort();
    const child = fork(this.script, [], {
      execArgv: [...CONDITIONS, '--import', REGISTER],
      env: { ...process.env, REPLICA: JSON.stringify(this.settings(name, port)), NODE_OPTIONS: '' },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const replica: Replica = { name, port, process: child, alive: false };
    const ready = new Promise<string>((resolve) => {
      child.on('message', (message: ReceivedMessage | 'ready') => {
        if (message === 'ready') resolve(message);
        else for (const subscriber of this.subscribers) subscriber(message);
      });
    });
    const ended = once(child, 'exit').then(([code]) => `ended with ${String(code)}`);
    const outcome = await Promise.race([ready, ended]);
    if (outcome !== 'ready') {
      // The database may be unavailable during the start. Then the replica starts again, as under a supervisor.
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

async function stopGracefully(replica: Replica): Promise<void> {
  // The load balancer sends no new requests to it.
  replica.alive = false;
  const { process: child } = replica;
  child.kill('SIGTERM');
  const deadline = setTimeout(() => child.kill('SIGKILL'), 15_000);
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  clearTimeout(deadline);
}
