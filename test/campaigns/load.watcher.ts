import type { CampaignWorld } from './campaign.world.js';

export interface SeenLoad {
  /** Of the replica that had most. */
  rssMb: { first: number; last: number; most: number };
  /** Deliveries and calls of listeners that waited. */
  mostWaiting: number;
  lastWaiting: number;
}

/** Looks every second at what replicas take and at what waits. */
export class LoadWatcher {
  private readonly rssMb: number[] = [];
  private readonly waiting: number[] = [];
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly world: CampaignWorld) {
    this.timer = setInterval(() => {
      // A look that fails is one look less.
      this.look().catch(() => undefined);
    }, 1_000);
  }

  stop(): SeenLoad {
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

  private async look(): Promise<void> {
    this.waiting.push(await this.world.waitingWork());
    const sizes = await Promise.all(
      this.world.replicas.ports().map(async (port) => {
        const response = await fetch(`http://127.0.0.1:${port}/memory`);
        return ((await response.json()) as { rssMb: number }).rssMb;
      }),
    );
    this.rssMb.push(Math.max(...sizes));
  }
}
