import { describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { ApplicationStore } from './application.store.js';
import { MemoryStore } from './memory/memory.store.js';

Logger.overrideLogger(false);

describe('the store of all accounts', () => {
  it('is the store that one account sets, even if the other accounts set none', async () => {
    const store = new MemoryStore();
    const application = new ApplicationStore(new MemoryStore());
    application.note('default', undefined);
    application.note('second', store);
    expect(await application.chosen(2)).toBe(store);
  });

  it('is the store that the application provides when no account sets one', async () => {
    const provided = new MemoryStore();
    const application = new ApplicationStore(provided);
    application.note('default', undefined);
    expect(await application.chosen(1)).toBe(provided);
  });

  it('is the memory store when there is no other', async () => {
    const application = new ApplicationStore();
    application.note('default', undefined);
    expect(await application.chosen(1)).toBeInstanceOf(MemoryStore);
  });

  it('is chosen only after the options of every account are known', async () => {
    const application = new ApplicationStore();
    const store = new MemoryStore();
    application.note('default', undefined);
    const chosen = application.chosen(2);
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
});
