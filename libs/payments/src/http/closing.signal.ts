import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';

/** Tells whoever waits that the application closes: a wait is the one thing that can simply be cut short. */
@Injectable()
export class ClosingSignal implements OnModuleDestroy {
  private readonly controller = new AbortController();

  constructor() {
    // Everything that waits listens, and more of it than ten is no leak.
    setMaxListeners(0, this.controller.signal);
  }

  /** Aborts when the application closes. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Waits; false when the application closes first. */
  async pause(ms: number): Promise<boolean> {
    try {
      await sleep(ms, undefined, { signal: this.controller.signal });
      return true;
    } catch {
      return false;
    }
  }

  /** Nest destroys providers one after the other: whoever comes first and has to wait says it to all. */
  close(): void {
    this.controller.abort();
  }

  onModuleDestroy(): void {
    this.close();
  }
}
