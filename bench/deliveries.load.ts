import type { BenchContext } from './bench.context.js';
import type { Contender, Measurement, OpenContender } from './rounds.js';
import type { SubjectProcess } from './subject.process.js';
import type { BatchResult } from './subjects/load.subject.js';

const CONNECTIONS = 32;

export interface DeliveriesLoad {
  /** Number of deliveries of the warm-up. */
  warmUp: number;
  /** Number of measured deliveries in each round. */
  count: number;
}

type Around = <T>(send: () => Promise<T>) => Promise<T>;

/** A process that sends signed, different deliveries over 32 connections. */
export class DeliveriesSender {
  private batches = 0;
  private turn: Promise<unknown> = Promise.resolve();

  private constructor(private readonly load: SubjectProcess) {}

  static async with<T>(
    bench: BenchContext,
    work: (sender: DeliveriesSender) => Promise<T>,
  ): Promise<T> {
    return bench.with('load', {}, (load) => work(new DeliveriesSender(load)));
  }

  /**
   * Sends a batch of deliveries and measures the answers. Concurrent calls run one after the other. `around` wraps the sending,
   * without the signing before it.
   */
  send(
    server: SubjectProcess,
    count: number,
    around: Around = (send) => send(),
  ): Promise<Measurement> {
    const batch = this.turn.then(() => this.batch(server, count, around));
    this.turn = batch.catch(() => undefined);
    return batch;
  }

  private async batch(server: SubjectProcess, count: number, around: Around): Promise<Measurement> {
    const url = await server.call<string>('url');
    this.batches += 1;
    await this.load.call('prepare', { count, prefix: `V${this.batches}N` });
    const { rate, p50, p99 } = await around(() =>
      this.load.call<BatchResult>('send', { url, connections: CONNECTIONS }),
    );
    return { rate, p50, p99 };
  }
}

/** Returns a contender that receives deliveries. */
export function deliveriesContender(
  bench: BenchContext,
  sender: DeliveriesSender,
  { name, subject, settings }: { name: string; subject: string; settings: object },
  { warmUp, count }: DeliveriesLoad,
): Contender {
  const open = (): Promise<OpenContender> =>
    bench.open(subject, settings, async (server) => {
      await sender.send(server, warmUp);
      return (round) =>
        sender.send(server, count, (send) => bench.measured(server, `${name}-${round}`, send));
    });
  return { name, open };
}
