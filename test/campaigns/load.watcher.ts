import type { CampaignEnvironment } from './campaign.environment.js';

export interface MeasuredLoad {
  /** The memory of the replica that has the most at each measurement. */
  rssMb: { first: number; last: number; most: number };
  /** Waiting deliveries and listener calls. */
  mostWaiting: number;
  lastWaiting: number;
}

/** Measures the memory of the replicas and the waiting work every second. */
export class LoadWatcher {
  private readonly rssMb: number[] = [];
  private readonly waiting: number[] = [];
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly environment: CampaignEnvironment) {
    this.timer = setInterval(() => {
      // A failed measurement is left out.
      this.measure().catch(() => undefined);
    }, 1_000);
  }

  stop(): MeasuredLoad {
    clearInterval(this.timer);
    return {
      rssMb: {
        first: this.rssMb[0] ?? 0,
        last: this.rssMb.at(-1) ?? 0,
        most: Math.max(0, ...this.rssMb),
      },
      mostWaiting: Math.max(0, ...this.waiting),
      lastWaiting: this.waiting.at(-1) ?? 0,
    };
  }

  private async measure(): Promise<void> {
    this.waiting.push(await this.environment.waitingWork());
    const sizes = await Promise.all(
      this.environment.replicas.ports().map(async (port) => {
        const response = await fetch(`http://127.0.0.1:${port}/memory`);
        return ((await response.json()) as { rssMb: number }).rssMb;
      }),
    );
    this.rssMb.push(Math.max(...sizes));
  }
}
