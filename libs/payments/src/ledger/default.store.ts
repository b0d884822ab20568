import { Injectable, Logger, Optional } from '@nestjs/common';
import { MemoryStore } from './memory/memory.store.js';
import { PaymentsStore } from './payments.store.js';

/** The store of accounts that were given none: the one that the application provides, else this process's memory. */
@Injectable()
export class DefaultStore {
  private memory: MemoryStore | null = null;

  constructor(@Optional() private readonly provided?: PaymentsStore) {}

  get(): PaymentsStore {
    return this.provided ?? this.memory ?? this.inMemory();
  }

  private inMemory(): MemoryStore {
    new Logger('Tillkit').warn(
      'payments are kept in this process only: a restart forgets payments in flight, idempotency keys and what was told, ' +
        'and finds webhooks that were missed only from then on. Use @tillkit/postgres in production',
    );
    return (this.memory = new MemoryStore());
  }
}
