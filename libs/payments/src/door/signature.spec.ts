import { describe, expect, it } from '@jest/globals';
import { isSignature, SIGNATURE_HEADER, signDelivery, verifySignature } from './signature.js';

const BODY = '{"topic":"buygoods_transaction_received"}';
/** `openssl dgst -sha256 -hmac first-key` made it. */
const SIGNATURE = 'c64234b09765c8fb9c4dd8ef165201f813cb650b44b590480590d645bc5e0ce0';

const verify = (signature: unknown, ...apiKeys: string[]): boolean =>
  verifySignature(Buffer.from(BODY), signature, apiKeys);

describe('A signature', () => {
  it('equals the HMAC that openssl makes of the body and the key', () => {
    expect(signDelivery(BODY, 'first-key')).toBe(SIGNATURE);
    expect(signDelivery(Buffer.from(BODY), 'first-key')).toBe(SIGNATURE);
  });

  it('is in the header that the platform names, as Node writes it', () => {
    expect(SIGNATURE_HEADER).toBe('X-KopoKopo-Signature'.toLowerCase());
  });

  it('of the body and the key is valid, again and again', () => {
    expect(verify(SIGNATURE, 'first-key')).toBe(true);
    expect(verify(SIGNATURE, 'first-key')).toBe(true);
  });

  it.each([
    ['the only key', ['second-key']],
    ['each of several keys', ['second-key', 'third-key']],
    ['no key', []],
  ])('of another key is wrong with %s', (_, keys) => {
    expect(verify(SIGNATURE, ...keys)).toBe(false);
  });

  it('is valid with any of several keys, wherever it stands', () => {
    expect(verify(SIGNATURE, 'first-key', 'second-key')).toBe(true);
    expect(verify(SIGNATURE, 'second-key', 'first-key')).toBe(true);
    expect(verify(SIGNATURE, 'second-key', 'first-key', 'third-key')).toBe(true);
  });

  it('of another body is wrong', () => {
    expect(verifySignature(Buffer.from(`${BODY} `), SIGNATURE, ['first-key'])).toBe(false);
  });

  it('that differs in one digit is wrong', () => {
    expect(verify(SIGNATURE.replace(/0$/, '1'), 'first-key')).toBe(false);
  });

  it('may be in upper case', () => {
    expect(verify(SIGNATURE.toUpperCase(), 'first-key')).toBe(true);
  });

  it.each([
    ['is missing', undefined],
    ['is a list', [SIGNATURE]],
    ['is empty', ''],
    ['is too short', SIGNATURE.slice(1)],
    ['is too long', `${SIGNATURE}0`],
    ['has something before it', `x${SIGNATURE}`],
    ['has something after it', `${SIGNATURE}x`],
    ['has other characters', SIGNATURE.replace('c', 'g')],
  ])('that %s has no form of a signature and is wrong', (_, header) => {
    expect(isSignature(header)).toBe(false);
    expect(verify(header, 'first-key')).toBe(false);
  });

  it('has the form of a signature with any key', () => {
    expect(isSignature(SIGNATURE)).toBe(true);
  });
});
