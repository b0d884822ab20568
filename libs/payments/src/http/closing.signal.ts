import { setMaxListeners } from 'node:events';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Runtime } from '../runtime/runtime.js';

/** Tells whoever waits that the application closes: a wait is the one thing that can simply be cut short. */
@Injectable()
export class ClosingSignal implements OnModuleDestroy {
  private readonly controller = new AbortController();

  constructor(private readonly runtime: Runtime = new Runtime()) {
    // Everything that waits listens, and more of it than ten is no leak.
    setMaxListeners(0, this.controller.signal);
  }

  /** Aborts when the application closes. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Waits; false when the application closes first. */
  pause(ms: number): Promise<boolean> {
    return this.runtime.pause(ms, this.controller.signal);
  }

  /** Nest destroys providers one after the other: whoever comes first and has to wait says it to all. */
  close(): void {
    this.controller.abort();
  }

  onModuleDestroy(): void {
    this.close();
  }
}
