import { Injectable } from '@nestjs/common';
import { Subject } from 'rxjs';
import type { CurrentSettings, PaymentsSettings } from '../accounts/payments.settings.js';
import { isOwnTill } from '../money/till-number.js';
import { PaymentsValidationError } from '../payments.errors.js';
import { PayoutLimitError } from '../operation.errors.js';
import type { Runtime } from '../runtime/clock.js';
import { SafeLogger } from '../runtime/logging.js';
import { type BareRequest, BareRequestsStore } from '../store/bare-requests.store.js';
import { BARE_PREFIX, type CallbackResource, type CallbackUrls } from './callback-urls.js';

/** Stores bare requests for as long as a transaction may be matched, so that no transaction of a bare request is matched to a payment. */
@Injectable()
export class BareRequests {
  /** The pollings of the host whose results should come to us, by the platform's id. */
  readonly pollings$ = new Subject<{ account: string; id: string }>();
  private readonly logger = new SafeLogger();

  constructor(private readonly bareRequestsStore: BareRequestsStore) {}

  /**
   * Stores a request before it is sent.
   * @throws StoreUnavailableError when it cannot be stored: then it must not be sent, because nobody would know whose its money is
   */
  remember(account: string, request: BareRequest): Promise<void> {
    return this.bareRequestsStore.keep(account, request);
  }

  /**
   * Stores the outcome of a request. It never throws: the host must not repeat a request that was made, only because its outcome could not
   * be stored.
   */
  async keep(account: string, request: BareRequest): Promise<void> {
    try {
      await this.bareRequestsStore.keep(account, request);
    } catch (error) {
      this.logger.warn(
        `a bare request to ${request.resource} could not be stored: ${String(error)}`,
        { resourceId: request.id },
      );
    }
  }
}

/**
 * Refuses a create that moves money out and that no limit would see.
 * @throws PayoutLimitError when the account has limits for payouts; nothing was sent
 */
export function assertBareCreates({
  account,
  payouts,
}: Pick<PaymentsSettings, 'account' | 'payouts'>): void {
  if (payouts.limits === undefined || payouts.bareCreates === true) return;
  const why =
    `account "${account}" has limits, which only PayoutsService.request() keeps. Use it, or set the option payouts: { bareCreates: true } ` +
    'if this call may pass them';
  throw new PayoutLimitError('payouts.limits', why);
}

/** The callback URLs of bare requests that are not stored. */
export class BareCallbacks {
  constructor(
    private readonly urls: CallbackUrls,
    private readonly settings: CurrentSettings,
    private readonly runtime: Runtime,
  ) {}

  /** Returns the URL for the result of a new request: the one that the host chose, else ours. */
  urlOf(resource: CallbackResource, chosen: string | null | undefined): string {
    return (
      chosen ??
      this.urls.callback(this.settings.current.account, resource, BARE_PREFIX + this.runtime.id())
    );
  }
}

/** Returns the error of a request to a till that the account does not list: its money would be ignored. Null for any other till. */
export function tillOfAnother(
  tillNumber: string,
  settings: PaymentsSettings,
): PaymentsValidationError | null {
  if (isOwnTill(settings, tillNumber)) return null;
  const problem = `${tillNumber} is none of the tills that the account lists: add it to the option \`tills\` (PAYMENTS_TILLS)`;
  return new PaymentsValidationError([{ field: 'tillNumber', problem }]);
}

/** Returns the till of a request, else that of the settings. @throws PaymentsValidationError when neither names one */
export function tillOf(chosen: string | undefined, settings: PaymentsSettings): string {
  const tillNumber = chosen ?? settings.tillNumber;
  if (tillNumber) return tillNumber;
  throw new PaymentsValidationError([
    { field: 'tillNumber', problem: 'is missing: pass it, or set PAYMENTS_TILL_NUMBER' },
  ]);
}
