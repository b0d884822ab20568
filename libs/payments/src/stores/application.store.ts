import { Injectable, Logger, Optional } from '@nestjs/common';
import { PaymentsConfigurationError } from '../payments.errors.js';
import { PaymentsStore } from '../payments.store.js';
import { MemoryStore } from './memory/memory.store.js';

/**
 * Chooses the one store of all accounts: the option `store`, else the store that the application provides, else the memory of this
 * process.
 */
@Injectable()
export class ApplicationStore {
  private readonly options = new Map<string, PaymentsStore | undefined>();
  private changed: () => void = () => undefined;
  private store: PaymentsStore | null = null;

  constructor(@Optional() private readonly provided?: PaymentsStore) {}

  /**
   * Notes the option of an account.
   * @throws PaymentsConfigurationError when another account has another store, or another store is in use already
   */
  note(account: string, store: PaymentsStore | undefined): void {
    if (this.store && store && store !== this.store) {
      throw new PaymentsConfigurationError([
        `account "${account}" sets another store than the one that serves the accounts of this application already: set the ` +
          'option `store` for the first of them, or provide one PaymentsStore for the application',
      ]);
    }
    const [other] = [...this.options].find(([, known]) => store && known && known !== store) ?? [];
    if (other !== undefined) {
      throw new PaymentsConfigurationError([
        `accounts "${other}" and "${account}" have different stores, and one store serves all accounts of an application: give ` +
          'both the same object as option `store`, or provide one PaymentsStore for the application',
      ]);
    }
    this.options.set(account, store);
    this.changed();
  }

  /**
   * Resolves when so many accounts have noted their option.
   * @throws PaymentsConfigurationError when some accounts set another store than the application provides for the others
   */
  async chosen(accounts: number): Promise<PaymentsStore> {
    while (this.options.size < accounts) {
      await new Promise<void>((resolve) => (this.changed = resolve));
    }
    const [setting, option] = [...this.options].find(([, store]) => store) ?? [];
    const [other] = [...this.options].find(([, store]) => !store) ?? [];
    if (option && other && this.provided && option !== this.provided) {
      throw new PaymentsConfigurationError([
        `account "${setting}" sets another store than the application provides, and one store serves all accounts, also account ` +
          `"${other}": give both the same object as option \`store\`, or remove the option`,
      ]);
    }
    this.store = option ?? this.provided ?? inMemory();
    return this.store;
  }
}

function inMemory(): MemoryStore {
  new Logger('Tillkit').warn(
    'payments are kept in the memory of this process only: a restart loses payments in flight, idempotency keys and ' +
      'completed calls, and does not find webhooks that were missed before it. Use @tillkit/postgres in production',
  );
  return new MemoryStore();
}
