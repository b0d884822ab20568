import type { BenchContext } from './bench.context.js';
import type { Contender, Measurement, OpenContender } from './rounds.js';
import type { SubjectProcess } from './subject.process.js';
import type { VolleyResult } from './subjects/load.subject.js';

const CONNECTIONS = 32;

export interface DeliveriesLoad {
  /** Deliveries that warm a server up. */
  warmUp: number;
  /** Deliveries that are measured in each round. */
  count: number;
}

type Around = <T>(send: () => Promise<T>) => Promise<T>;

/** A process that sends signed deliveries, no two of them alike, over 32 connections. */
export class DeliveriesSender {
  private volleys = 0;
  private turn: Promise<unknown> = Promise.resolve();

  private constructor(private readonly load: SubjectProcess) {}

  static async with<T>(
    bench: BenchContext,
    work: (sender: DeliveriesSender) => Promise<T>,
  ): Promise<T> {
    return bench.with('load', {}, (load) => work(new DeliveriesSender(load)));
  }

  /**
   * Sends so many, and measures how they are answered; one volley after the other, whoever asks. `around` sees the
   * sending, and not the signing before it.
   */
  fire(
    server: SubjectProcess,
    count: number,
    around: Around = (send) => send(),
  ): Promise<Measurement> {
    const volley = this.turn.then(() => this.volley(server, count, around));
    this.turn = volley.catch(() => undefined);
    return volley;
  }

  private async volley(
    server: SubjectProcess,
    count: number,
    around: Around,
  ): Promise<Measurement> {
    const url = await server.call<string>('url');
    this.volleys += 1;
    await this.load.call('make', { count, prefix: `V${this.volleys}N` });
    const { rate, p50, p99 } = await around(() =>
      this.load.call<VolleyResult>('fire', { url, connections: CONNECTIONS }),
    );
    return { rate, p50, p99 };
  }
}

/** A server of deliveries that takes its turns. */
export function deliveriesContender(
  bench: BenchContext,
  sender: DeliveriesSender,
  { name, subject, settings }: { name: string; subject: string; settings: object },
  { warmUp, count }: DeliveriesLoad,
  /** What must be true before its turn ends, after so many deliveries in all. */
  after: (server: SubjectProcess, sent: number) => Promise<void> = async () => undefined,
): Contender {
  const open = (): Promise<OpenContender> =>
    bench.open(subject, settings, async (server) => {
      await sender.fire(server, warmUp);
      await after(server, warmUp);
      return async (round) => {
        const measurement = await sender.fire(server, count, (send) =>
          bench.measured(server, `${name}-${round}`, send),
        );
        await after(server, warmUp + round * count);
        return measurement;
      };
    });
  return { name, open };
}
