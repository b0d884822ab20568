/**
 * Puts each reverse proxy of docs/proxies.md, with its block there, between the platform and an application. Usage: npm run test:proxies
 */
import { existsSync } from 'node:fs';
import { request } from 'node:https';
import { signDelivery } from '@tillkit/payments';
import { CERTIFICATE } from '../../libs/simulator/src/testing/certificate.fixture.js';
import { Report } from '../support/report.js';
import { blockBelow } from '../packaging/page.blocks.mjs';
import { webhookBody } from '../support/deliver.js';
import { freePort } from '../support/free.port.js';
import { aRequest, Merchant } from '../support/merchant.js';
import { RunningProxy } from '../support/proxy.programs.js';
import { apacheWithFirewall, FIREWALL, type Front, FRONTS } from './fronts.js';

const PAGE = 'docs/proxies.md';

/** The largest bodies that we take. */
const WEBHOOK_BYTES = 64 * 1024;
const CALLBACK_BYTES = 1024 * 1024;
/** The limit of the page for proxies. */
const PROXY_BYTES = 4 * 1024 * 1024;

const report = new Report();
const began = performance.now();

for (const front of FRONTS) {
  const { program, language, command } = front;
  // A machine of a contributor may not have all of them; the gate needs them.
  if (!existsSync(command)) {
    report.skip(program, `${command} is missing`);
    continue;
  }
  report.part(program);
  await behind(front, blockBelow(PAGE, `## ${program}`, language), async (merchant, url) => {
    await checkPayment(merchant);
    await checkSizes(merchant, url);
  });
}
if (Object.values(FIREWALL).every(existsSync)) await firewall();
else report.skip('ModSecurity', `${FIREWALL.module} is missing`);
report.finish(performance.now() - began);

/** Without the exception of the page the firewall must stop something: otherwise the exception proves nothing. */
async function firewall(): Promise<void> {
  const block = blockBelow(PAGE, '## Apache', 'apache');
  const large = webhookBody({ note: 'x'.repeat(200 * 1024) });
  report.part('ModSecurity');
  await behind(apacheWithFirewall(''), block, async (merchant, url) => {
    const status = await post(callbackUrlOf(url), merchant, large);
    report.check('stops a callback of 200 kB in our place', status === 413, status);
  });
  const exception = blockBelow(PAGE, '## A firewall with rules', 'apache');
  await behind(apacheWithFirewall(exception), block, async (merchant, url) => {
    await checkPayment(merchant);
    await checkSizes(merchant, url);
  });
}

/** Runs an application behind a proxy, for as long as the work takes. */
async function behind(
  front: Front,
  block: string,
  work: (merchant: Merchant, url: string) => Promise<void>,
): Promise<void> {
  const port = await freePort();
  const url = `https://localhost:${port}/api`;
  const merchant = await Merchant.open({
    payments: { publicUrl: url, reconciliation: false },
    simulator: { receiverCa: CERTIFICATE.cert },
  });
  try {
    const to = Number(new URL(merchant.url).port);
    const proxy = await RunningProxy.start(front, { block, to }, port);
    try {
      await work(merchant, url);
    } finally {
      await proxy.stop();
    }
  } finally {
    await merchant.close();
  }
}

/** The platform's callback came through the proxy, and its signature covered what arrived. */
async function checkPayment(merchant: Merchant): Promise<void> {
  const { id } = await merchant.payments.request(aRequest());
  const { payment, via } = await merchant.received.next('payment.succeeded');
  report.check('a payment succeeds by its callback', payment.id === id && via === 'callback', via);
}

async function checkSizes(merchant: Merchant, url: string): Promise<void> {
  const webhook = await post(merchant.webhookUrl, merchant, padded(WEBHOOK_BYTES));
  report.check('the largest webhook arrives', webhook === 200, webhook);
  const callback = await post(callbackUrlOf(url), merchant, padded(CALLBACK_BYTES));
  report.check('the largest callback arrives', callback === 200, callback);
  const piecewise = await post(callbackUrlOf(url), merchant, padded(CALLBACK_BYTES), true);
  report.check('and without a length', piecewise === 200, piecewise);
  const refused = await post(callbackUrlOf(url), merchant, padded(PROXY_BYTES - 1024));
  report.check('a larger one is answered 413 by us', refused === 413, refused);
  const other = await post(`${url}/other`, merchant, '{}');
  report.check('a delivery to another path is not taken for delivered', other >= 400, other);
}

function callbackUrlOf(url: string): string {
  return `${url}/payments/callbacks/polling/bare-1`;
}

/** Returns the body of a webhook with so many bytes, of which some are no ASCII. */
function padded(bytes: number): string {
  const body = webhookBody({ note: 'é' });
  return body.replace('é', `é${' '.repeat(bytes - Buffer.byteLength(body))}`);
}

/** Posts a signed delivery, and resolves with the status of its answer. */
function post(
  url: string,
  { simulator }: Merchant,
  body: string,
  isPiecewise = false,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      method: 'POST',
      ca: CERTIFICATE.cert,
      headers: {
        'content-type': 'application/json',
        'x-kopokopo-signature': signDelivery(body, simulator.apiKey),
        ...(!isPiecewise && { 'content-length': Buffer.byteLength(body) }),
      },
    });
    sent.once('response', (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.once('error', reject);
    sent.end(body);
  });
}
