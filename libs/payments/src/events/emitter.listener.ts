import { Injectable, Logger } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { EventEmitter2, EventEmitterReadinessWatcher } from '@nestjs/event-emitter';
import { EVENT_NAMES } from '../ledger/ledger.events.js';
import type { Listener } from './listeners.explorer.js';

export const EMITTER_LISTENER = 'EventEmitter2';

/**
 * The host's own event bus as one listener among the others, for plain `@OnEvent`. It is called once: what its listeners
 * throw is logged and not repeated. Whoever needs a repeat uses `@OnPaymentEvent`.
 */
@Injectable()
export class EmitterListener {
  private readonly logger = new Logger('Tillkit');

  constructor(private readonly moduleRef: ModuleRef) {}

  /** One listener for each event; none where the host has no event emitter module. */
  listeners(): Listener[] {
    const emitter = this.optional(EventEmitter2);
    if (!emitter) return [];
    const ready =
      this.optional(EventEmitterReadinessWatcher)?.waitUntilReady() ?? Promise.resolve();
    return EVENT_NAMES.map((event) => ({
      id: EMITTER_LISTENER,
      event,
      call: async (payload: unknown) => {
        await ready;
        try {
          await emitter.emitAsync(event, payload);
        } catch (error) {
          this.logger.error(
            `an @OnEvent('${event}') listener failed and is not called again`,
            stackOf(error),
          );
        }
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

function stackOf(error: unknown): string | undefined {
  return error instanceof Error ? error.stack : String(error);
}
