import { Injectable } from '@nestjs/common';
import type { PaymentsSettings } from '../work/payments.settings.js';
import { Runtime } from '../work/runtime.js';
import type { DeliveryHead } from './delivery-route.js';
import { explainMismatch } from './mismatch-diagnosis.js';
import type { Refusal } from './refusal.js';
import type { RawBody } from './raw-body.js';
import { isSignature, SIGNATURE_HEADER } from './signature.js';
import { SafeLogger } from '../work/safe-logger.js';

/** A cause, as the log has it. A wrong signature has a diagnosis instead. */
const REASONS: Readonly<Record<Exclude<Refusal, 'signature'>, string>> = {
  too_large: 'its body is larger than 64 kB (a webhook) or 1 MB (a callback)',
  encoded: 'its body is compressed. The platform compresses nothing: look for a proxy that does',
  consumed:
    'a body parser of this application read its body first. Remove that parser (app.use(express.json())), or set rawBody: true',
  url_mac:
    'the MAC in its URL is missing or wrong. If you replaced the URL secret, add the former one to PAYMENTS_URL_SECRETS',
  account: 'its URL names an account that this application does not have',
  unsure:
    'its account, or the newest secrets of it, could not be loaded just now. The platform sends it again',
  identifier: 'its URL is none that this application gave to the platform',
  slow: 'its body did not arrive within deliveries.bodyTimeoutMs',
  busy: 'too many large bodies were arriving at the same time. The platform sends it again',
};

/** Logs refused deliveries, few of each cause and account. It runs after the answer. */
@Injectable()
export class RefusalLog {
  private readonly logger: SafeLogger;

  constructor(runtime: Runtime) {
    this.logger = new SafeLogger(() => runtime.elapsed());
  }

  /** Never throws, and is not awaited. */
  note(
    settings: PaymentsSettings | null,
    head: DeliveryHead,
    refusal: Refusal,
    body?: RawBody,
  ): void {
    // Names that somebody invents are one account here.
    const account = settings?.account ?? '?';
    const signature = head.headers[SIGNATURE_HEADER];
    // A wrong signature is worth an explanation, which posts without any must not prevent.
    const cause = refusal === 'signature' && isSignature(signature) ? 'wrong signature' : refusal;
    // Nothing but a change of this application mends a body that its own parser reads.
    const level = refusal === 'consumed' ? 'error' : 'warn';
    const line = (): string =>
      `a delivery was refused: ${
        refusal !== 'signature'
          ? REASONS[refusal]
          : settings && explainMismatch(settings, body, signature)
      }`;
    setImmediate(() => this.logger.seldom(level, cause, line, { account }));
  }
}
