import pg from 'pg';
import { Connections } from './faulty.socket.js';
import type { SimulatedTransaction } from './host.transaction.js';
import type { PostgresSnapshots } from './postgres.snapshots.js';
import type { RealWork } from './real.work.js';
import type { Chance } from './seeded.chance.js';
import type { Simulation } from './history.simulation.js';

/** Timeout of the host's statements. */
const STATEMENT_MS = 1_000;

/** A real transaction of a host, on its own connection. It holds its locks until it ends or its connection breaks. */
export class PostgresTransaction implements SimulatedTransaction {
  state: SimulatedTransaction['state'] = 'open';
  private readonly connections = new Connections();
  private readonly chance: Chance;
  private begun: Promise<pg.Client> | null = null;

  constructor(
    private readonly key: string,
    private readonly url: string,
    private readonly work: RealWork,
    private readonly snapshots: PostgresSnapshots,
    private readonly simulation: Simulation,
  ) {
    this.chance = simulation.chanceOf(`transaction ${key}`);
  }

  async query(text: string, values: unknown[]): Promise<unknown> {
    this.begun ??= this.begin();
    return (await this.begun).query(text, values);
  }

  /** False when the database refused the commit. If the answer is lost, the observer shows whether it was committed. */
  async commit(): Promise<boolean> {
    const { simulation } = this;
    this.state = 'committed';
    const cut = this.chance.happens(0.2)
      ? this.chance.pick(['before', 'sent', 'answer'] as const)
      : null;
    const { snapshot, isCommitted } = await this.work.run(async () => {
      const done = await this.end('commit', cut);
      return { snapshot: await this.snapshots.fetch(), isCommitted: done };
    });
    this.snapshots.apply(snapshot, null);
    if (!isCommitted) {
      simulation.reached('outcome of a host commit unknown');
      if (simulation.observer.ofKey(this.key) === null) this.state = 'refused';
    }
    simulation.scheduler.changed();
    return this.state === 'committed';
  }

  rollback(): void {
    if (this.state !== 'open') return;
    this.state = 'rolled back';
    const cut = this.chance.happens(0.5) ? ('before' as const) : null;
    void this.work.run(() => this.end('rollback', cut));
  }

  /** Ends its connection. */
  destroy(): void {
    this.connections.destroy();
  }

  private async begin(): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: this.url,
      stream: () => this.connections.open(),
      query_timeout: STATEMENT_MS,
      application_name: 'host',
    });
    client.on('error', () => undefined);
    await client.connect();
    await client.query('begin');
    return client;
  }

  private async end(how: 'commit' | 'rollback', cut: Connections['next']): Promise<boolean> {
    try {
      const client = await this.begun;
      if (!client) return how === 'commit';
      this.connections.next = cut;
      const { command } = await client.query(how);
      await client.end();
      return command === 'COMMIT';
    } catch {
      return false;
    } finally {
      this.destroy();
    }
  }
}
