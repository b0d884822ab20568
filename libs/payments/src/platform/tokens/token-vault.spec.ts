import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { keepWarnings } from '../../../../../test/support/warnings.js';
import { StoreUnavailableError } from '../../payments.errors.js';
import type { PaymentsSettings } from '../../accounts/payments.settings.js';
import { MemoryStore } from '../../memory/memory.store.js';
import { SETTINGS } from '../../testing/ledger.fixture.js';
import { applicationOf, TokenVault } from './token-vault.js';
import type { SealedToken, TokensStore } from '../../store/tokens.store.js';

const HOLDER = { account: 'default', application: applicationOf(SETTINGS) };
const TOKEN = { value: 'a-very-secret-token', expiresInMs: 60_000 };
/** `TOKEN`, encrypted by the first version with the secret of `SETTINGS`. */
const SEALED_BY_VERSION_0 = 'tR1DCjnhWXELiB3M0qH3FdHe6xkGaoNyB/tPFGASoCsgGaJoLLJQb0zmNp3no1w=';

/** Makes every method of a token store fail from now on. */
function failWith(tokens: TokensStore, failure: unknown): void {
  const fail = async (): Promise<never> => {
    throw failure;
  };
  Object.assign(tokens, {
    read: fail,
    claimRenewal: fail,
    save: fail,
    releaseRenewal: fail,
    clear: fail,
  } satisfies TokensStore);
}

describe('a shared token', () => {
  const lines: string[] = [];
  let store: MemoryStore;

  const vault = (changes: Partial<PaymentsSettings> = {}): TokenVault =>
    new TokenVault(store.tokens, { ...SETTINGS, ...changes });

  beforeEach(() => {
    store = new MemoryStore();
    lines.length = 0;
    keepWarnings(lines);
  });
  afterAll(() => void Logger.overrideLogger(false));

  it('is read by another replica, and is never in the store in clear', async () => {
    await vault().save(TOKEN);
    expect(await vault().read()).toMatchObject({ value: TOKEN.value });
    const stored = await store.tokens.read(HOLDER);
    expect(stored?.sealed.toString('latin1')).not.toContain(TOKEN.value);
  });

  it('is encrypted differently each time: equal tokens have different bytes', async () => {
    await vault().save(TOKEN);
    const first = (await store.tokens.read(HOLDER))?.sealed;
    await vault().save(TOKEN);
    expect((await store.tokens.read(HOLDER))?.sealed.equals(first as Buffer)).toBe(false);
  });

  it.each([
    ['secret', { clientSecret: 'renewed' }],
    ['client', { clientId: 'another' }],
    ['platform', { baseUrl: 'https://another.example' }],
  ])('cannot be read by a replica that has another %s', async (_, changes) => {
    await vault().save(TOKEN);
    expect(await vault(changes).read()).toBeNull();
  });

  it('of another account cannot be read, even if its row is copied', async () => {
    await vault().save(TOKEN);
    const { sealed } = (await store.tokens.read(HOLDER)) as SealedToken;
    await store.tokens.save({ ...HOLDER, account: 'second' }, 'somebody', {
      sealed,
      expiresInMs: 60_000,
    });
    expect(await vault({ account: 'second' }).read()).toBeNull();
  });

  it.each([
    [
      'changed',
      (sealed: Buffer) => Buffer.from(sealed.map((byte, n) => (n === 20 ? byte ^ 1 : byte))),
    ],
    ['cut short', (sealed: Buffer) => sealed.subarray(0, 20)],
    ['empty', () => Buffer.alloc(0)],
  ])('whose bytes were %s cannot be read', async (_, spoil) => {
    await vault().save(TOKEN);
    const { sealed } = (await store.tokens.read(HOLDER)) as SealedToken;
    await store.tokens.save(HOLDER, 'somebody', { sealed: spoil(sealed), expiresInMs: 60_000 });
    expect(await vault().read()).toBeNull();
  });

  it('cannot be read with another secret', async () => {
    await vault().save(TOKEN);
    expect(await vault().read()).not.toBeNull();
    expect(await vault({ clientSecret: 'renewed' }).read()).toBeNull();
  });

  // Versions run beside each other during an upgrade.
  it('is read when another version has encrypted it', async () => {
    const sealed = Buffer.from(SEALED_BY_VERSION_0, 'base64');
    await store.tokens.save(HOLDER, 'somebody', { sealed, expiresInMs: 60_000 });
    expect(await vault().read()).toMatchObject({ value: TOKEN.value });
  });

  it('does not belong to a client whose id and platform are equal only when they are joined', () => {
    const baseUrl = SETTINGS.baseUrl + SETTINGS.clientId;
    const another = { ...SETTINGS, baseUrl, tokenBaseUrl: baseUrl, clientId: '' };
    expect(applicationOf(another)).not.toBe(applicationOf(SETTINGS));
  });

  it('is renewed by one replica at a time', async () => {
    const [mine, theirs] = [vault(), vault()];
    expect(await mine.claimRenewal(60_000)).toBe(true);
    expect(await theirs.claimRenewal(60_000)).toBe(false);
    await mine.releaseRenewal();
    expect(await theirs.claimRenewal(60_000)).toBe(true);
  });

  it('is deleted only if the store still has the same token', async () => {
    await vault().save(TOKEN);
    await vault().delete('an-older-token');
    expect(await vault().read()).toMatchObject({ value: TOKEN.value });
    await vault().delete(TOKEN.value);
    expect(await vault().read()).toBeNull();
  });

  it.each<[string, unknown, RegExp]>([
    ['an error', new StoreUnavailableError('it is away'), /it is away/],
    ['something else', 'gone', /store failed/],
  ])(
    'is replaced by a token request, and no call fails, when the store fails with %s',
    async (_, failure, words) => {
      const mine = vault();
      await mine.save(TOKEN);
      failWith(store.tokens, failure);
      expect(await mine.read()).toBeNull();
      expect(await mine.claimRenewal(1)).toBe(true);
      await mine.save(TOKEN);
      await mine.releaseRenewal();
      await mine.delete(TOKEN.value);
      expect(lines[0]).toMatch(words);
      expect(lines[0]).toMatch(/ account=default$/);
      expect(lines.join('\n')).not.toContain(TOKEN.value);
    },
  );
});
