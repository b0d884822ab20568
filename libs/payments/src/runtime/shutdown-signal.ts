import { setMaxListeners } from 'node:events';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Runtime } from './clock.js';

/** Aborts every wait when the application closes. */
@Injectable()
export class ShutdownSignal implements OnModuleDestroy {
  private readonly controller = new AbortController();

  constructor(private readonly runtime: Runtime = new Runtime()) {
    // Each wait adds a listener. Node warns above ten listeners, but here many are no leak.
    setMaxListeners(0, this.controller.signal);
  }

  /** Aborts when the application closes. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Resolves with true after `ms` milliseconds, or with false as soon as the application closes. */
  pause(ms: number): Promise<boolean> {
    return this.runtime.pause(ms, this.controller.signal);
  }

  /** Nest destroys providers one after the other: the first provider that has to wait calls this to abort the waits of all. */
  close(): void {
    this.controller.abort();
  }

  onModuleDestroy(): void {
    this.close();
  }
}
