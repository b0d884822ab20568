import { Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { EventEmitter2, EventEmitterReadinessWatcher } from '@nestjs/event-emitter';
import { EVENT_NAMES } from '../ledger/ledger.events.js';
import type { Listener } from './listeners.explorer.js';

export const EMITTER_LISTENER = 'EventEmitter2';

/**
 * The host's own event bus as one listener among the others, for plain `@OnEvent`. It is called once, as soon as its
 * listeners are loaded: an error of them, or their being slow, is logged and repeats nothing. Whoever needs a repeat uses `@OnPaymentEvent`.
 */
@Injectable()
export class EmitterListener {
  constructor(private readonly moduleRef: ModuleRef) {}

  /** One listener for each event; none where the host has no event emitter module. */
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
