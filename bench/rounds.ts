import { spreadOf, type Spread } from './statistics.js';

/** What one run of one contender measured, by name. */
export type Measurement = Readonly<Record<string, number>>;

/** One of those that are compared. */
export interface Contender {
  name: string;
  /** Starts and warms up; what it does until then is not measured. */
  open(): Promise<OpenContender>;
}

/** One that runs, and waits for its turns. */
export interface OpenContender {
  measure(round: number): Promise<Measurement>;
  close(): Promise<void>;
}

/** What each contender measured in each round. */
export class Samples {
  private readonly byName = new Map<string, Measurement[]>();

  add(name: string, measurement: Measurement): void {
    this.byName.set(name, [...(this.byName.get(name) ?? []), measurement]);
  }

  spread(name: string, metric: string): Spread {
    return spreadOf(this.values(name, metric));
  }

  /**
   * One contender's number divided by another's, round by round: neighbours in time share what else the machine does.
   */
  ratio(name: string, against: string, metric: string, againstMetric = metric): Spread {
    const divisors = this.values(against, againstMetric);
    return spreadOf(
      this.values(name, metric).map((value, round) => value / (divisors[round] as number)),
    );
  }

  /** How much more one contender measured than another, round by round. */
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
 * Contenders take turns, A B C A B C ..., in processes that live through all rounds: what else the machine does hits
 * neighbours in time alike.
 */
export async function alternate(
  contenders: readonly Contender[],
  rounds: number,
  log: (line: string) => void,
): Promise<Samples> {
  const samples = new Samples();
  const open: { name: string; contender: OpenContender }[] = [];
  try {
    // Together, which is quicker; what is measured begins when all are warm.
    const opening = await Promise.allSettled(
      contenders.map(async ({ name, open: begin }) => ({ name, contender: await begin() })),
    );
    for (const outcome of opening) if (outcome.status === 'fulfilled') open.push(outcome.value);
    for (const outcome of opening) if (outcome.status === 'rejected') throw outcome.reason;
    for (let round = 1; round <= rounds; round += 1) {
      for (const { name, contender } of open) {
        const measurement = await contender.measure(round);
        samples.add(name, measurement);
        log(`round ${round} of ${rounds}, ${name}: ${words(measurement)}`);
      }
    }
  } finally {
    await Promise.allSettled(open.map(({ contender }) => contender.close()));
  }
  return samples;
}

function words(measurement: Measurement): string {
  return Object.entries(measurement)
    .map(([metric, value]) => `${metric} ${value.toPrecision(4)}`)
    .join(', ');
}
