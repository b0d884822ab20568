import { causeOf, exchange } from '../http-answer.js';
import type { ExaminedAccount } from '../examined-account.js';
import { failed, skipped, type Check } from './check.js';
import { judgeAnswer } from './public-url-answer.js';

/** No key makes this signature, so the delivery is refused wherever it arrives. */
const NOBODYS_SIGNATURE = '0'.repeat(64);

/** Posts a delivery without a valid signature to our webhook route. Only our routes refuse it in the way that we know. */
export function publicUrlCheck({ webhookUrl }: ExaminedAccount): Check {
  return {
    name: 'public URL',
    run: async (signal) => {
      if (!webhookUrl) return skipped('no PAYMENTS_PUBLIC_URL is known');
      const answer = await exchange(webhookUrl, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-kopokopo-signature': NOBODYS_SIGNATURE,
        },
        body: '{}',
        signal,
      }).catch((error: unknown) => causeOf(error));
      if (typeof answer === 'string') return unreachable(webhookUrl, answer);
      return judgeAnswer(webhookUrl, answer);
    },
  };
}

function unreachable(url: string, cause: string) {
  const { host } = new URL(url);
  if (/ENOTFOUND|EAI_AGAIN/.test(cause))
    return failed(
      `the name ${host} is not known: ${cause}`,
      'Correct PAYMENTS_PUBLIC_URL, or add the name to your DNS.',
    );
  if (/certificate|self-signed|altnames|CERT_|DEPTH_ZERO|UNABLE_TO/i.test(cause))
    return failed(
      `the certificate of ${host} is not trusted: ${cause}`,
      'See the check "certificate".',
    );
  return failed(
    `${host} gave no answer: ${cause}`,
    'Start the application; then check the port, the proxy in front of it and the firewall.',
  );
}
