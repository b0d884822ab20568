import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Payment, Payout } from '@tillkit/payments';
import { CERTIFICATE } from '../../libs/simulator/src/testing/certificate.fixture.js';
import { HostilePath, type PathFault } from '../support/hostile.path.js';
import { aPayout, aRequest, Merchant } from '../support/merchant.js';
import { CREATE, json, ScriptedPlatform, type Handler } from '../support/scripted.platform.js';

const SEND_MONEY = 'POST /api/v2/send_money';

const PLAIN = Buffer.from('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n');
/** A fatal alert of TLS: the certificate has expired. */
const ALERT = Buffer.from([0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x2d]);
const GARBAGE = Buffer.from(Array.from({ length: 600 }, (_, index) => (index * 37) % 256));
const EVERYTHING = 1_000_000;

/** Each fault happens once on the path. `isWritten` says that the request was written by then. */
const FAULTS: readonly [name: string, fault: PathFault, isWritten: boolean][] = [
  ['the connection is reset as it is opened', { phase: 'opening', ends: 'reset' }, false],
  ['plain bytes come as it is opened', { phase: 'opening', writes: PLAIN, ends: 'closed' }, false],
  ['the connection is reset in its handshake', { phase: 'handshake', ends: 'reset' }, false],
  ['the connection is closed in its handshake', { phase: 'handshake', ends: 'closed' }, false],
  [
    'plain bytes come in its handshake',
    { phase: 'handshake', writes: PLAIN, ends: 'closed' },
    false,
  ],
  ['an alert comes in its handshake', { phase: 'handshake', writes: ALERT, ends: 'closed' }, false],
  ['garbage comes in its handshake', { phase: 'handshake', writes: GARBAGE, ends: 'reset' }, false],
  ['the handshake is swallowed', { phase: 'handshake' }, false],
  ['the connection is reset before the request arrives', { phase: 'request', ends: 'reset' }, true],
  [
    'plain bytes come before the request arrives',
    { phase: 'request', writes: PLAIN, ends: 'closed' },
    true,
  ],
  [
    'half of the request arrives, and a reset comes',
    { phase: 'request', bytesLeft: 120, ends: 'reset' },
    true,
  ],
  ['half of the request arrives', { phase: 'request', bytesLeft: 120 }, true],
  [
    'the request arrives, and a reset comes',
    { phase: 'request', bytesLeft: EVERYTHING, ends: 'reset' },
    true,
  ],
  [
    'the request arrives, and plain bytes come',
    { phase: 'request', bytesLeft: EVERYTHING, writes: PLAIN },
    true,
  ],
  [
    'the request arrives, and an alert comes',
    { phase: 'request', bytesLeft: EVERYTHING, writes: ALERT, ends: 'closed' },
    true,
  ],
  [
    'the request arrives, and garbage comes',
    { phase: 'request', bytesLeft: EVERYTHING, writes: GARBAGE, ends: 'closed' },
    true,
  ],
  ['the request arrives, and nothing comes', { phase: 'request', bytesLeft: EVERYTHING }, true],
  ['the answer is lost with a reset', { phase: 'answer', ends: 'reset' }, true],
  ['plain bytes come before the answer', { phase: 'answer', writes: PLAIN, ends: 'reset' }, true],
  ['half of the answer comes', { phase: 'answer', bytesLeft: 30 }, true],
  [
    'half of the answer comes, and garbage',
    { phase: 'answer', bytesLeft: 30, writes: GARBAGE },
    true,
  ],
  [
    'half of the answer comes, and a reset',
    { phase: 'answer', bytesLeft: 30, ends: 'reset' },
    true,
  ],
];

/** Without TLS there is no handshake, and nobody can distinguish plain bytes from the platform's answer. So these faults need TLS. */
const ONLY_TLS = new Set(['opening', 'handshake']);

describe.each([
  ['by TLS 1.3', 'TLSv1.3' as const],
  ['by TLS 1.2', 'TLSv1.2' as const],
  ['without TLS', null],
])('A create that is sent %s', (_, version) => {
  let platform: ScriptedPlatform;
  let path: HostilePath;
  /** The first one waits long for an answer, the other one not: for faults after which none comes. */
  let merchants: readonly [Merchant, Merchant];
  let merchant: Merchant;
  let ids = 0;
  /** True when the platform closes the connection after its answer, so that the next request has a new one. */
  let isLast = false;

  beforeAll(async () => {
    platform = await ScriptedPlatform.open(
      version ? { ...CERTIFICATE, minVersion: version, maxVersion: version } : undefined,
    );
    path = await HostilePath.to(platform.port, version);
    const created =
      (resource: string): Handler =>
      (request, response) => {
        ids += 1;
        const location = `https://platform.invalid/api/v2/${resource}/id-${ids}`;
        json(201, {}, { location, ...(isLast && { connection: 'close' }) })(request, response);
      };
    platform.on(CREATE, created('incoming_payments'));
    platform.on(SEND_MONEY, created('send_money'));
    const open = (createTimeoutMs: number): Promise<Merchant> =>
      Merchant.open({
        payments: {
          baseUrl: `${version ? 'https' : 'http'}://127.0.0.1:${path.port}`,
          tokenBaseUrl: platform.url,
          clientId: 'an-id',
          clientSecret: 'a-secret',
          http: { tls: { ca: CERTIFICATE.cert }, createTimeoutMs },
          sending: { sendBeforeMs: 60_000 },
          reconciliation: false,
        },
      });
    merchants = [await open(30_000), await open(2_000)];
  });
  afterAll(async () => {
    await Promise.all(merchants.map((each) => each.close()));
    await path.close();
    await platform.close();
  });

  let amounts = 100;
  const pay = (): Promise<Payment> => {
    amounts += 1;
    return merchant.payments.request(
      aRequest({ amount: { currency: 'KES', value: `${amounts}` } }),
    );
  };
  const payOut = (): Promise<Payout> => {
    amounts += 1;
    const [destination] = aPayout().destinations;
    const amount = `${amounts}`;
    return merchant.payouts.request(
      aPayout({ destinations: [{ ...destination, amount }] as never }),
    );
  };

  const applicable = FAULTS.filter(([, { phase, writes }]) =>
    version ? true : !ONLY_TLS.has(phase) && writes !== PLAIN && writes !== ALERT,
  );
  /** A wait for nothing takes seconds, and is the same for all. */
  const isLong = ({ ends }: PathFault): boolean => ends === undefined;
  const cases = applicable.flatMap(([name, fault, isWritten]) =>
    (['a new', 'a kept'] as const)
      .filter((kind) => kind === 'a new' || !ONLY_TLS.has(fault.phase))
      .flatMap((kind) =>
        (
          [
            ['payment', pay, CREATE],
            ['payout', payOut, SEND_MONEY],
          ] as const
        ).map(([what, send, route]) => ({ name, fault, isWritten, kind, what, send, route })),
      )
      // A payout is the worst to send twice. All else is the same code.
      .filter(({ what }) => what === 'payout' || (version === 'TLSv1.3' && !isLong(fault)))
      .filter(() => version !== 'TLSv1.2' || !isLong(fault)),
  );

  it.each(cases)(
    'is received once at most when $name ($what, $kind connection)',
    async ({ fault, isWritten, kind, send, route }) => {
      merchant = merchants[isLong(fault) ? 1 : 0];
      // The token and the platform's clock are known, and a connection is kept.
      isLast = kind === 'a new';
      await send();
      isLast = false;
      const [before, happened] = [platform.count(route), path.happened];
      path.arm(fault);
      const { state, reason } = await send();
      path.arm(null);
      expect(path.happened).toBe(happened + 1);
      const received = platform.count(route) - before;
      expect(received).toBeLessThanOrEqual(1);
      if (isWritten) expect({ state, reason }).toEqual({ state: 'unknown', reason: null });
      else expect({ state, received }).toEqual({ state: 'pending', received: 1 });
    },
  );
});
