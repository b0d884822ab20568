import { describe, expect, it } from '@jest/globals';
import { readIntrospection, readToken, readTokenInfo } from './token-vault.js';

const GOOD = { access_token: 'a-token', token_type: 'Bearer', expires_in: 3600 };

describe('an access token', () => {
  it.each<[string, object]>([
    ['its type in lower case', { token_type: 'bearer' }],
    ['no type', { token_type: undefined }],
    ['its life as text', { expires_in: '3600' }],
  ])('is read with %s', (_, changes) => {
    expect(readToken('get token', { ...GOOD, ...changes })).toEqual({
      value: 'a-token',
      expiresInMs: 3_600_000,
    });
  });

  it.each([undefined, null])('whose life is %j is used for five minutes', (expires_in) => {
    expect(readToken('get token', { ...GOOD, expires_in } as never).expiresInMs).toBe(300_000);
  });

  it.each<[string, string, object]>([
    ['access_token is missing', 'access_token', { access_token: undefined }],
    ['access_token is empty', 'access_token', { access_token: '' }],
    ['access_token is a number', 'access_token', { access_token: 7 }],
    ['access_token has a blank', 'access_token', { access_token: 'a token' }],
    ['access_token has a line break', 'access_token', { access_token: 'a\r\nX-Evil: yes' }],
    ['access_token has an accent', 'access_token', { access_token: 'jeton-é' }],
    ['access_token has more than 8 kB', 'access_token', { access_token: 'x'.repeat(8193) }],
    ['token_type is another type', 'token_type', { token_type: 'MAC' }],
    ['token_type is a number', 'token_type', { token_type: 7 }],
    ['expires_in is 0', 'expires_in', { expires_in: 0 }],
    ['expires_in is negative', 'expires_in', { expires_in: -1 }],
    ['expires_in is a word', 'expires_in', { expires_in: 'soon' }],
    ['expires_in is 30 years', 'expires_in', { expires_in: 1e9 }],
    ['expires_in is a list', 'expires_in', { expires_in: [3600] }],
  ])('whose %s is refused by an error that names the field', (_, field, changes) => {
    const read = (): unknown => readToken('get token', { ...GOOD, ...changes });
    expect(read).toThrow(new RegExp(`its ${field} cannot be used`));
  });

  it('that is refused is not in the error', () => {
    const read = (): unknown => readToken('get token', { ...GOOD, access_token: 'se cret' });
    expect(read).toThrow(expect.not.objectContaining({ message: expect.stringContaining('cret') }));
  });
});

describe('the description of a token', () => {
  it('is active only with the exact value true', () => {
    expect(readIntrospection({ active: true }).active).toBe(true);
    expect(readIntrospection({ active: 'true' }).active).toBe(false);
  });

  it.each([
    ['its introspection', readIntrospection],
    ['its info', readTokenInfo],
  ])('is read from %s even if that is empty', (_, read) => {
    const { raw, ...fields } = read({});
    expect(raw).toEqual({});
    expect(Object.values(fields).every((value) => !value || value.length === 0)).toBe(true);
  });

  it('is read with client, scope, type and times', () => {
    const wire = {
      active: true,
      scope: 'payments',
      client_id: 'app',
      token_type: 'Bearer',
      exp: 1_600_003_600,
      iat: 1_600_000_000,
    };
    expect(readIntrospection(wire)).toEqual({
      active: true,
      scope: 'payments',
      clientId: 'app',
      tokenType: 'Bearer',
      expiresAt: new Date('2020-09-13T13:26:40Z'),
      issuedAt: new Date('2020-09-13T12:26:40Z'),
      raw: wire,
    });
  });

  it('has no expiry when that is no number', () => {
    expect(readTokenInfo({ expires_in: '60' }).expiresIn).toBeNull();
  });

  it('is read with owner, scope, expiry and application', () => {
    const wire = {
      resource_owner_id: 7,
      scope: ['payments', 1],
      expires_in: 60,
      application: { uid: 'app' },
      created_at: 1_600_000_000,
    };
    expect(readTokenInfo(wire)).toMatchObject({
      resourceOwnerId: '7',
      scope: ['payments', '1'],
      expiresIn: 60,
      applicationUid: 'app',
      createdAt: new Date('2020-09-13T12:26:40Z'),
    });
  });
});
