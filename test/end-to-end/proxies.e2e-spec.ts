import { Logger } from '@nestjs/common';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { TokensService } from '@tillkit/payments';
import { CERTIFICATE } from '../../libs/simulator/src/testing/certificate.fixture.js';
import { freePort } from '../support/free.port.js';
import { Merchant } from '../support/merchant.js';
import { HAS_PROXY_PROGRAMS, PROXY_PROGRAMS, RunningProxy } from '../support/proxy.programs.js';
import { SENT_KINDS } from '../support/sent.kinds.js';
import { keepWarnings } from '../support/warnings.js';

const CREDENTIALS = 'shop:a-password';
const NOT_SENT = { state: 'failed', reason: 'not_sent' };

// Debian's packages, which a machine of a contributor may not have.
const describeWithPrograms = HAS_PROXY_PROGRAMS ? describe : describe.skip;

describeWithPrograms.each(PROXY_PROGRAMS)('The platform behind $program', (program) => {
  let port: number;
  let free: RunningProxy;
  let guarded: RunningProxy;
  let merchant: Merchant;

  beforeAll(async () => {
    port = await freePort();
    free = await RunningProxy.start(program, { to: port });
    guarded = await RunningProxy.start(program, { to: port, credentials: CREDENTIALS });
  });
  afterAll(() => Promise.all([free.stop(), guarded.stop()]));
  afterEach(async () => {
    Logger.overrideLogger(false);
    await merchant.close();
  });

  const open = async (proxy: string, platformPort = port, sendBeforeMs = 60_000): Promise<void> => {
    merchant = await Merchant.open({
      simulator: {
        tls: CERTIFICATE,
        port: platformPort,
        openingBalances: { '514459': 10_000 },
      },
      payments: {
        http: { proxy, tls: { ca: CERTIFICATE.cert } },
        sending: { sendBeforeMs },
        reconciliation: false,
      },
    });
  };

  describe.each(SENT_KINDS)('and a $kind', ({ request, moved }) => {
    const isNotSent = async (proxy: string, platformPort = port): Promise<void> => {
      await open(proxy, platformPort, 300);
      expect(await request(merchant)).toMatchObject(NOT_SENT);
      expect(moved(merchant.simulator)).toBe(0);
    };

    it('reach each other', async () => {
      await open(free.url());
      expect(await request(merchant)).toMatchObject({ state: 'pending' });
      expect(moved(merchant.simulator)).toBe(1);
      await merchant.close();
      await free.hasConnectedTo(port);
    });

    it('reach each other with user and password', async () => {
      await open(guarded.url(CREDENTIALS));
      expect(await request(merchant)).toMatchObject({ state: 'pending' });
      expect(moved(merchant.simulator)).toBe(1);
      await merchant.close();
      await guarded.hasConnectedTo(port);
    });

    it('do not reach each other with a wrong password, or without one, and nothing was sent', async () => {
      await isNotSent(guarded.url('shop:another'));
      await merchant.close();
      await isNotSent(guarded.url());
    });

    it('do not reach each other when the proxy refuses the port, and nothing was sent', async () => {
      await isNotSent(free.url(), 0);
    });
  });

  it('cannot be reached with a wrong password, and the log says who wants it and never which it was', async () => {
    await open(guarded.url('shop:a-wrong-one'));
    const lines: string[] = [];
    keepWarnings(lines);
    const refused = merchant.app.get(TokensService).get();
    // tinyproxy answers 407 to those who give no password only.
    await expect(refused).rejects.toThrow(
      /the proxy answered 40[17]: it wants a user and a password\): check the proxy \(http\.proxy\)/,
    );
    expect(lines).toEqual([
      expect.stringMatching(
        /^the platform cannot be used \(the proxy answered 40[17]: it wants a user and a password\): check the proxy \(http\.proxy\)/,
      ),
    ]);
    expect(lines.join()).not.toContain('a-wrong-one');
  });

  it('cannot be reached without a password, and the error names 407 and the option', async () => {
    await open(guarded.url());
    await expect(merchant.app.get(TokensService).get()).rejects.toThrow(
      /the proxy answered 407: it wants a user and a password\): check the proxy \(http\.proxy\)/,
    );
  });

  it('cannot be reached at a port that the proxy refuses, and the error names 403 and the option', async () => {
    await open(free.url(), 0);
    await expect(merchant.app.get(TokensService).get()).rejects.toThrow(
      /the proxy answered 403\): check the proxy \(http\.proxy\)/,
    );
  });
});
