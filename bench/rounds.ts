import { spreadOf, type Spread } from './statistics.js';

/** The metrics of one contender in one round. */
export type Measurement = Readonly<Record<string, number>>;

export interface Contender {
  name: string;
  /** Starts and warms up, before the measurement. */
  open(): Promise<OpenContender>;
}

export interface OpenContender {
  measure(round: number): Promise<Measurement>;
  close(): Promise<void>;
}

/** The measurements of each contender in each round. */
export class Samples {
  private readonly byName = new Map<string, Measurement[]>();

  add(name: string, measurement: Measurement): void {
    this.byName.set(name, [...(this.byName.get(name) ?? []), measurement]);
  }

  spread(name: string, metric: string): Spread {
    return spreadOf(this.values(name, metric));
  }

  /** Returns one contender's metric divided by another's, per round: both ran under nearly the same load of the machine. */
  ratio(name: string, against: string, metric: string, againstMetric = metric): Spread {
    const divisors = this.values(against, againstMetric);
    return spreadOf(
      this.values(name, metric).map((value, round) => value / (divisors[round] as number)),
    );
  }

  /** Returns one contender's metric minus another's, per round. */
  difference(name: string, against: string, metric: string): Spread {
    const others = this.values(against, metric);
    return spreadOf(
      this.values(name, metric).map((value, round) => value - (others[round] as number)),
    );
  }

  toJSON(): object {
    return Object.fromEntries(this.byName);
  }

  private values(name: string, metric: string): number[] {
    return (this.byName.get(name) ?? []).map((measurement) => {
      const value = measurement[metric];
      if (value === undefined) throw new Error(`${name} measured no ${metric}`);
      return value;
    });
  }
}

/**
 * Measures contenders in turns, A B C A B C ..., in processes that run through all rounds. So other load of the machine
 * affects all of them alike.
 */
export async function alternate(
  contenders: readonly Contender[],
  rounds: number,
  log: (line: string) => void,
): Promise<Samples> {
  const samples = new Samples();
  const open: { name: string; contender: OpenContender }[] = [];
  try {
    // Start all of them concurrently. The measurement begins when all are warm.
    const opening = await Promise.allSettled(
      contenders.map(async ({ name, open: begin }) => ({ name, contender: await begin() })),
    );
    for (const outcome of opening) if (outcome.status === 'fulfilled') open.push(outcome.value);
    for (const outcome of opening) if (outcome.status === 'rejected') throw outcome.reason;
    for (let round = 1; round <= rounds; round += 1) {
      for (const { name, contender } of open) {
        const measurement = await contender.measure(round);
        samples.add(name, measurement);
        log(`round ${round} of ${rounds}, ${name}: ${describe(measurement)}`);
      }
    }
  } finally {
    await Promise.allSettled(open.map(({ contender }) => contender.close()));
  }
  return samples;
}

function describe(measurement: Measurement): string {
  return Object.entries(measurement)
    .map(([metric, value]) => `${metric} ${value.toPrecision(4)}`)
    .join(', ');
}
