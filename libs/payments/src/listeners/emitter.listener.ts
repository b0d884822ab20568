import { Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { EventEmitter2, EventEmitterReadinessWatcher } from '@nestjs/event-emitter';
import type { Listener } from './listeners-explorer.js';
import { EVENT_NAMES } from '../store/payments.events.js';

export const EMITTER_LISTENER = 'EventEmitter2';

/**
 * The host's own `EventEmitter2` as one listener, for plain `@OnEvent`. The dispatcher calls it once for each event, when the
 * emitter's listeners are loaded. It logs their errors and timeouts and repeats nothing. Use `@OnPaymentEvent` for repeats.
 */
@Injectable()
export class EmitterListener {
  constructor(private readonly moduleRef: ModuleRef) {}

  /** One listener for each event; an empty list when the host has no event emitter module. */
  listeners(): Listener[] {
    const emitter = this.optional(EventEmitter2);
    if (!emitter) return [];
    const watcher = this.optional(EventEmitterReadinessWatcher);
    return EVENT_NAMES.map((event) => ({
      id: EMITTER_LISTENER,
      event,
      once: true,
      ready: async () => watcher?.waitUntilReady(),
      call: async (payload: unknown) => {
        await emitter.emitAsync(event, payload);
      },
    }));
  }

  private optional<T>(token: abstract new (...args: never[]) => T): T | null {
    try {
      return this.moduleRef.get<T>(token as never, { strict: false });
    } catch {
      return null;
    }
  }
}
