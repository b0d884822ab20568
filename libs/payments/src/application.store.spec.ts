import { describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { SkippingRuntime } from './testing/skipping.runtime.js';
import { ApplicationStore } from './application.store.js';
import { MemoryStore } from './memory/memory.store.js';

Logger.overrideLogger(false);

describe('the store of all accounts', () => {
  it('is the store that one account sets, even if the other accounts set none', async () => {
    const store = new MemoryStore();
    const application = new ApplicationStore();
    application.note('default', undefined);
    application.note('second', store);
    expect(await application.chosen(['default', 'second'])).toBe(store);
  });

  it('is the store that the application provides when no account sets one', async () => {
    const provided = new MemoryStore();
    const application = new ApplicationStore(provided);
    application.note('default', undefined);
    expect(await application.chosen(['default'])).toBe(provided);
  });

  it('is the memory store when there is no other', async () => {
    const application = new ApplicationStore();
    application.note('default', undefined);
    expect(await application.chosen(['default'])).toBeInstanceOf(MemoryStore);
  });

  it('is chosen only after the options of every account are known', async () => {
    const application = new ApplicationStore();
    const store = new MemoryStore();
    application.note('default', undefined);
    const chosen = application.chosen(['default', 'second']);
    application.note('second', store);
    expect(await chosen).toBe(store);
  });

  it('is refused when two accounts set different stores, with an error that names both accounts', () => {
    const application = new ApplicationStore();
    application.note('default', new MemoryStore());
    expect(() => application.note('second', new MemoryStore())).toThrow(
      /accounts "default" and "second" have different stores.*give both the same object as option `store`/,
    );
  });

  it('is refused when one account sets another than the application provides for the others', async () => {
    const application = new ApplicationStore(new MemoryStore());
    application.note('default', undefined);
    application.note('second', new MemoryStore());
    await expect(application.chosen(['default', 'second'])).rejects.toThrow(
      /account "second" sets another store than the application provides, .* account "default"/,
    );
  });

  it('is refused when another copy of the package has made it', async () => {
    const copy = new URL('./payments.store.ts?copy', import.meta.url).href;
    const { PaymentsStore } = (await import(copy)) as typeof import('./payments.store.js');
    const store = Object.assign(Object.create(PaymentsStore.prototype), { ledger: {} }) as never;
    expect(() => new ApplicationStore().note('default', store)).toThrow(
      /two copies of @tillkit\/payments are installed: the option `store` of account "default"/,
    );
  });

  it('is not changed by an account that is added later', async () => {
    const application = new ApplicationStore();
    application.note('default', undefined);
    const store = await application.chosen(['default']);
    expect(() => application.note('late', new MemoryStore())).toThrow(/account "late".*store/);
    expect(() => application.note('later', store)).not.toThrow();
  });

  it('is not waited for without end: the error names the accounts whose options did not come, and the cure', async () => {
    const application = new ApplicationStore(undefined, new SkippingRuntime());
    application.note('default', undefined);
    await expect(application.chosen(['default', 'second', 'third'])).rejects.toThrow(
      /the options of account "second", "third" did not come.*must not inject a service of another account/,
    );
  });
});
