import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { signDelivery } from '@tillkit/payments';
import { tillkit, tillkitProcess } from '../../support/command-line.js';

const BODY = '{"topic": "customer_created"}';
const SIGNATURE = signDelivery(BODY, 'second-key');
const environment = {
  PAYMENTS_API_KEYS: 'first-key, second-key',
  PAYMENTS_CLIENT_SECRET: 'the-client-secret',
};

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tillkit-cli-'));
});
afterAll(() => rm(folder, { recursive: true }));

const file = async (name: string, text: string): Promise<string> => {
  await writeFile(join(folder, name), text);
  return join(folder, name);
};

const leaksNothing = (text: string): void =>
  expect(text).not.toMatch(/first-key|second-key|the-client-secret/);

describe('tillkit sign', () => {
  it('prints the signature of standard input with the first key, as a process', async () => {
    expect(await tillkitProcess(['sign'], { environment, input: BODY })).toEqual({
      code: 0,
      out: `${signDelivery(BODY, 'first-key')}\n`,
      complaint: '',
    });
  });

  it('prints the signature of a file with the key of the option --key, as JSON', async () => {
    const { code, out } = await tillkit(
      ['sign', await file('body.json', BODY), '--key', 'second-key', '--json'],
      { environment },
    );
    expect({ code, ...JSON.parse(out) }).toEqual({
      code: 0,
      header: 'X-KopoKopo-Signature',
      signature: SIGNATURE,
      key: 'the key of --key',
    });
  });

  it.each([
    ['to sign without a key', ['sign'], {}, /no API key: set PAYMENTS_API_KEYS/],
    [
      'to sign with keys in quotes',
      ['sign'],
      { PAYMENTS_API_KEYS: '"first-key, second-key"' },
      /PAYMENTS_API_KEYS has quotes around it.*: remove the quotes\.$/m,
    ],
    [
      'to sign with a key that nothing has replaced',
      ['sign', '--key', '${API_KEY}'],
      {},
      /--key has a \$\{\.\.\.\} that nothing has replaced/,
    ],
    [
      'to sign a file that does not exist',
      ['sign', '/no/such/file'],
      environment,
      /\/no\/such\/file cannot be read \(ENOENT\)/,
    ],
  ])('refuses %s with the cause and the cure', async (_, args, settings, why) => {
    expect(await tillkit(args, { environment: settings as Record<string, string> })).toEqual({
      code: 2,
      out: '',
      complaint: expect.stringMatching(why),
    });
  });
});

describe('tillkit verify', () => {
  it('says which key made the signature of a body, and prints no key', async () => {
    const { code, out, complaint } = await tillkit(
      ['verify', '--signature', `X-KopoKopo-Signature: ${SIGNATURE}`],
      { environment, input: BODY },
    );
    expect({ code, out, complaint }).toEqual({
      code: 0,
      out: 'valid: key 2 of PAYMENTS_API_KEYS made the signature\n',
      complaint: '',
    });
  });

  it('reads the signature from the headers before the body', async () => {
    const captured = `POST /payments/webhooks HTTP/1.1\r\nX-KopoKopo-Signature: ${SIGNATURE}\r\n\r\n${BODY}`;
    const { code, out } = await tillkit(
      ['verify', await file('delivery.http', captured), '--json'],
      { environment },
    );
    expect({ code, ...JSON.parse(out) }).toEqual({
      code: 0,
      valid: true,
      key: 'key 2 of PAYMENTS_API_KEYS',
      why: null,
    });
  });

  it.each([
    ['no key', BODY, signDelivery(BODY, 'another'), /matches none of the API keys/],
    [
      'the client secret',
      BODY,
      signDelivery(BODY, 'the-client-secret'),
      /client secret, not an API key/,
    ],
    [
      're-serialised JSON',
      BODY,
      signDelivery('{"topic":"customer_created"}', 'first-key'),
      /rewrites JSON/,
    ],
    ['a line break too few', `${BODY}\n`, SIGNATURE, /key 2 .* without the line break at the end/],
    ['nothing, because it is cut off', BODY, SIGNATURE.slice(1), /64 hexadecimal characters/],
  ])('says why a signature that matches %s is wrong', async (_, input, signature, why) => {
    const { code, out } = await tillkit(['verify', '-', '--signature', signature], {
      environment,
      input,
    });
    expect({ code, out }).toEqual({ code: 1, out: expect.stringMatching(why) });
    leaksNothing(out);
  });

  it('refuses a body without any signature', async () => {
    expect(await tillkit(['verify'], { environment, input: BODY })).toMatchObject({
      code: 2,
      complaint: expect.stringContaining('give --signature <signature>'),
    });
  });
});
