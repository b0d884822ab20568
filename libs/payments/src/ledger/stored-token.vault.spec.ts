import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { StoreUnavailableError } from '../payments.errors.js';
import { resolveSettings } from '../payments.settings.js';
import { MemoryStore } from './memory/memory.store.js';
import { StoredTokenVault } from './stored-token.vault.js';

const TOKEN = { value: 'a-very-secret-token', expiresInMs: 60_000 };

/** A store that can be away. */
class FailingStore extends MemoryStore {
  failure: unknown = null;

  override async init(): Promise<void> {
    if (this.failure !== null) throw this.failure;
  }
}

describe('a shared token', () => {
  const lines: string[] = [];
  let store: FailingStore;

  const vault = (changes: object = {}): StoredTokenVault =>
    new StoredTokenVault(
      store,
      resolveSettings(
        {
          baseUrl: 'https://platform.example',
          clientId: 'id',
          clientSecret: 'secret',
          publicUrl: 'https://shop.example',
          apiKeys: ['key'],
          ...changes,
        },
        () => undefined,
      ),
    );

  beforeEach(() => {
    store = new FailingStore();
    lines.length = 0;
    const ignore = (): void => undefined;
    Logger.overrideLogger({ log: ignore, error: ignore, warn: (line: string) => lines.push(line) });
  });
  afterAll(() => void Logger.overrideLogger(false));

  it('is read by another replica, and its store never sees it', async () => {
    await vault().save(TOKEN);
    expect(await vault().read()).toMatchObject({ value: TOKEN.value });
    const stored = await store.readToken('default');
    expect(stored?.sealed.toString('latin1')).not.toContain(TOKEN.value);
  });

  it('is sealed anew each time: equal tokens cannot be told by their bytes', async () => {
    await vault().save(TOKEN);
    const first = (await store.readToken('default'))?.sealed;
    await vault().save(TOKEN);
    expect((await store.readToken('default'))?.sealed.equals(first as Buffer)).toBe(false);
  });

  it.each([
    ['secret', { clientSecret: 'renewed' }],
    ['client', { clientId: 'another' }],
  ])('is none for who has another %s', async (_, changes) => {
    await vault().save(TOKEN);
    expect(await vault(changes).read()).toBeNull();
  });

  it('of another account is none, though its row was copied', async () => {
    await vault().save(TOKEN);
    const { sealed } = (await store.readToken('default')) as { sealed: Buffer };
    await store.saveToken('second', 'somebody', sealed, 60_000);
    expect(await vault({ account: 'second' }).read()).toBeNull();
  });

  it.each([
    [
      'changed',
      (sealed: Buffer) => Buffer.from(sealed.map((byte, n) => (n === 20 ? byte ^ 1 : byte))),
    ],
    ['cut short', (sealed: Buffer) => sealed.subarray(0, 20)],
    ['empty', () => Buffer.alloc(0)],
  ])('whose bytes were %s is none', async (_, spoil) => {
    await vault().save(TOKEN);
    const { sealed } = (await store.readToken('default')) as { sealed: Buffer };
    await store.saveToken('default', 'somebody', spoil(sealed), 60_000);
    expect(await vault().read()).toBeNull();
  });

  it('is renewed by one replica at a time', async () => {
    const [mine, theirs] = [vault(), vault()];
    expect(await mine.claimRenewal(60_000)).toBe(true);
    expect(await theirs.claimRenewal(60_000)).toBe(false);
    await mine.releaseRenewal();
    expect(await theirs.claimRenewal(60_000)).toBe(true);
  });

  it('is forgotten only if it is still that one', async () => {
    await vault().save(TOKEN);
    await vault().forget('an-older-token');
    expect(await vault().read()).toMatchObject({ value: TOKEN.value });
    await vault().forget(TOKEN.value);
    expect(await vault().read()).toBeNull();
  });

  it.each<[string, unknown, RegExp]>([
    ['an error', new StoreUnavailableError('it is away'), /it is away/],
    ['something else', 'gone', /store failed/],
  ])('costs a request when the store fails with %s, and no call', async (_, failure, words) => {
    const mine = vault();
    await mine.save(TOKEN);
    store.failure = failure;
    expect(await mine.read()).toBeNull();
    expect(await mine.claimRenewal(1)).toBe(true);
    await mine.save(TOKEN);
    await mine.releaseRenewal();
    await mine.forget(TOKEN.value);
    expect(lines[0]).toMatch(words);
    expect(lines.join('\n')).not.toContain(TOKEN.value);
  });
});
