import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { TlsOptions } from '@tillkit/payments/types';
import { CERTIFICATE } from '../../libs/simulator/src/testing/certificate.fixture.js';
import { Merchant } from '../support/merchant.js';
import { created, ScriptedPlatform } from '../support/scripted.platform.js';
import { SENT_KINDS } from '../support/sent.kinds.js';

describe.each(SENT_KINDS)(
  'A $kind at a platform that asks for a certificate',
  ({ request, path }) => {
    const { cert, key } = CERTIFICATE;
    const create = `POST /api/v2${path}`;
    let platform: ScriptedPlatform;
    let merchant: Merchant;

    beforeEach(async () => {
      const asking = { requestCert: true, rejectUnauthorized: true, ca: cert };
      platform = await ScriptedPlatform.open({ ...CERTIFICATE, ...asking });
      platform.on(create, created('one', `/api/v2${path}`));
    });
    afterEach(async () => {
      await merchant.close();
      await platform.close();
    });

    const open = async (tls: TlsOptions, sendBeforeMs = 60_000): Promise<void> => {
      merchant = await Merchant.open({
        payments: {
          ...platform.settings,
          http: { tls: { ca: cert, ...tls } },
          sending: { sendBeforeMs },
        },
      });
    };

    it('is sent with http.tls.cert and http.tls.key', async () => {
      await open({ cert, key });
      expect(await request(merchant)).toMatchObject({ state: 'pending', platformId: 'one' });
      expect(platform.count(create)).toBe(1);
    });

    it('is not sent without them', async () => {
      await open({}, 300);
      expect(await request(merchant)).toMatchObject({ state: 'failed', reason: 'not_sent' });
      expect(platform.asked).toEqual([]);
    });
  },
);
