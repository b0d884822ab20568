import { type DynamicModule, Logger, Module, type Provider } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { afterEach, describe, expect, it } from '@jest/globals';
import { MemoryStore } from './memory/memory.store.js';
import { PaymentsModule } from './payments.module.js';
import type { PaymentsOptions } from './payments.options.js';
import { PaymentsStore } from './payments.store.js';

Logger.overrideLogger(false);

/** The same source, evaluated once more, as another copy of the package would be. */
const copyOf = <Source>(path: string): Promise<Source> =>
  import(new URL(`${path}?copy`, import.meta.url).href) as Promise<Source>;

const OPTIONS: PaymentsOptions = {
  baseUrl: 'http://127.0.0.1:9',
  clientId: 'id',
  clientSecret: 'secret',
  publicUrl: 'http://127.0.0.1:3000',
  apiKeys: ['an-api-key-of-the-portal'],
  reconciliation: false,
};

describe('An application with two copies of the package is refused', () => {
  let close = (): Promise<void> => Promise.resolve();
  const start = async (imports: DynamicModule[], providers: Provider[] = []): Promise<void> => {
    @Module({ imports, providers })
    class Host {}
    const app = await Test.createTestingModule({ imports: [Host] }).compile();
    close = () => app.close();
    await app.init();
  };
  afterEach(() => close());

  const storeOfCopy = async (): Promise<PaymentsStore> => {
    const other = await copyOf<typeof import('./payments.store.js')>('./payments.store.ts');
    expect(other.PaymentsStore).not.toBe(PaymentsStore);
    const store: object = new MemoryStore();
    // The classes between are those of this copy, which is as good: only the base is compared.
    Object.setPrototypeOf(store, Object.create(other.PaymentsStore.prototype) as object);
    return store as PaymentsStore;
  };

  it('when it imports the module of both', async () => {
    const other = await copyOf<typeof import('./payments.module.js')>('./payments.module.ts');
    const imports = [
      PaymentsModule.forRoot({ ...OPTIONS, store: new MemoryStore() }),
      other.PaymentsModule.forRoot({ ...OPTIONS, account: 'shop', path: 'shop' }),
    ];
    await expect(start(imports)).rejects.toThrow(
      /two copies of @tillkit\/payments are installed: this application imports PaymentsModule from both.*npm ls/,
    );
  });

  it('when it provides the store of the other one, which the module does not find', async () => {
    const other = await copyOf<typeof import('./payments.store.js')>('./payments.store.ts');
    const provider = { provide: other.PaymentsStore, useValue: await storeOfCopy() };
    await expect(start([PaymentsModule.forRoot(OPTIONS)], [provider])).rejects.toThrow(
      /two copies of @tillkit\/payments are installed: the store of this application is of one/,
    );
  });

  it('and one with a class of its own that has the name of ours is not', async () => {
    class Own {
      readonly payments = [];
    }
    Object.defineProperty(Own, 'name', { value: PaymentsStore.name });
    await start([PaymentsModule.forRoot({ ...OPTIONS, store: new MemoryStore() })], [Own]);
  });
});
