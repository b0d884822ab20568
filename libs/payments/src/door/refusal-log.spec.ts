import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { keepWarnings } from '../../../../test/support/warnings.js';
import { resolveSettings } from '../accounts/settings.reader.js';
import { Runtime } from '../runtime/clock.js';
import { RefusalLog } from './refusals.js';
import type { DeliveryHead } from './delivery-route.js';
import type { RawBody } from './raw-body.js';
import { SIGNATURE_HEADER, signDelivery } from './signature.js';

const API_KEY = 'the-right-api-key';
const CLIENT_ID = 'the-client-id';
const CLIENT_SECRET = 'the-client-secret';
const OPTIONS = resolveSettings(
  {
    baseUrl: 'https://platform.example',
    clientId: CLIENT_ID,
    clientSecret: CLIENT_SECRET,
    publicUrl: 'https://shop.example',
    apiKeys: ['an-older-api-key', API_KEY],
  },
  () => undefined,
);
const BODY = '{ "topic": "customer_created", "sender": "+254700000001" }';

type Signature = string | string[] | undefined;

const headOf = (signature: Signature): DeliveryHead => ({
  headers: { [SIGNATURE_HEADER]: signature },
});
const bodyOf = (text: string): RawBody => ({ bytes: Buffer.from(text) });

describe('the log of a delivery whose signature is wrong', () => {
  const lines: string[] = [];

  beforeEach(() => {
    lines.length = 0;
    keepWarnings(lines);
  });
  afterEach(() => void Logger.overrideLogger(false));

  const explained = async (body: string, ...signatures: Signature[]): Promise<string[]> => {
    const log = new RefusalLog(new Runtime());
    for (const signature of signatures)
      log.note(OPTIONS, headOf(signature), 'signature', bodyOf(body));
    await new Promise(setImmediate);
    return lines;
  };

  it.each<[string, string, Signature, RegExp]>([
    ['it carries none', BODY, undefined, /it carries no signature/],
    ['it is a list', BODY, ['a', 'b'], /not the 64 hexadecimal characters/],
    ['it is no HMAC-SHA256', BODY, 'abc', /not the 64 hexadecimal characters/],
    [
      'the client secret made it',
      BODY,
      signDelivery(BODY, CLIENT_SECRET),
      /the client secret, not an API key: put that secret into PAYMENTS_API_KEYS/,
    ],
    ['the client id made it', BODY, signDelivery(BODY, CLIENT_ID), /the client id, not an API key/],
    [
      'something rewrote the JSON',
      BODY,
      signDelivery(JSON.stringify(JSON.parse(BODY)), API_KEY),
      /the re-serialised body/,
    ],
    [
      'something added white space around JSON',
      `${BODY}\n`,
      signDelivery(BODY, API_KEY),
      /without surrounding white space/,
    ],
    [
      'something added white space around what is no JSON',
      'no JSON\r\n',
      signDelivery('no JSON', API_KEY),
      /without surrounding white space/,
    ],
    [
      'another key made it',
      BODY,
      signDelivery(BODY, 'a-renewed-key'),
      /none of the API keys; if the key was renewed in the portal/,
    ],
    ['another key signed no JSON', '{', signDelivery('{', 'a-renewed-key'), /none of the API keys/],
  ])('says that %s', async (_, body, signature, words) => {
    const [line, ...more] = await explained(body, signature);
    expect(line).toMatch(words);
    expect(more).toEqual([]);
  });

  it('contains no key, no secret, no signature and no part of the body', async () => {
    const signature = signDelivery(BODY, CLIENT_SECRET);
    const [line] = await explained(BODY, signature);
    for (const secret of [API_KEY, CLIENT_SECRET, CLIENT_ID, signature, '+254700000001']) {
      expect(line).not.toContain(secret);
    }
  });

  it('is written at most once in ten seconds for one cause', async () => {
    expect(await explained(BODY, undefined, 'abc', undefined)).toHaveLength(1);
  });

  it('says how many like it were refused since the last line', async () => {
    const runtime = new Runtime();
    let elapsed = 0;
    runtime.elapsed = () => elapsed;
    const log = new RefusalLog(runtime);
    for (const at of [0, 1, 2, 10_000]) {
      elapsed = at;
      log.note(OPTIONS, headOf('abc'), 'signature');
      await new Promise(setImmediate);
    }
    expect(lines).toEqual([
      expect.not.stringContaining('more like it'),
      expect.stringContaining('(and 2 more like it since the last such line)'),
    ]);
  });

  it('explains a wrong signature although others post without any', async () => {
    const signature = signDelivery(BODY, CLIENT_SECRET);
    const found = await explained(BODY, undefined, 'abc', signature);
    expect(found).toEqual([
      expect.stringMatching(/carries no signature/),
      expect.stringMatching(/matches the client secret/),
    ]);
  });

  it('is written for each cause and each account', async () => {
    const log = new RefusalLog(new Runtime());
    log.note(OPTIONS, headOf(undefined), 'signature', bodyOf(BODY));
    log.note(OPTIONS, headOf(undefined), 'identifier');
    log.note({ ...OPTIONS, account: 'second' }, headOf(undefined), 'signature', bodyOf(BODY));
    await new Promise(setImmediate);
    expect(lines).toEqual([
      expect.stringMatching(/carries no signature.* account=default$/),
      expect.stringMatching(/its URL is none that this application gave.* account=default$/),
      expect.stringMatching(/carries no signature.* account=second$/),
    ]);
  });

  it('does not compare the keys with a body over 64 kB', async () => {
    const large = 'x'.repeat(64 * 1024 + 1);
    const [line] = await explained(large, signDelivery(large, CLIENT_SECRET));
    expect(line).toMatch(/matches none of the API keys/);
  });

  it('is written after the answer, not before', () => {
    new RefusalLog(new Runtime()).note(OPTIONS, headOf(undefined), 'signature', bodyOf(BODY));
    expect(lines).toEqual([]);
  });
});
