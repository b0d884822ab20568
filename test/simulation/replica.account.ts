import type { VerifiedDelivery } from '../../libs/payments/src/inbox/inbox.service.js';
import type { PaymentLinksService } from '../../libs/payments/src/operations/payment-links/payment-links.service.js';
import type { PaymentsService } from '../../libs/payments/src/operations/payments/payments.service.js';
import type { PayoutsService } from '../../libs/payments/src/operations/payouts/payouts.service.js';
import type { RefundsService } from '../../libs/payments/src/operations/refunds/refunds.service.js';
import type { PaymentsAccount } from '../../libs/payments/src/payments-account.js';
import type { PaymentsAccounts } from '../../libs/payments/src/payments-accounts.js';
import type {
  CurrentSettings,
  PaymentsSettings,
} from '../../libs/payments/src/accounts/payments.settings.js';
import { IncomingPaymentsService } from '../../libs/payments/src/platform/resources/incoming-payments.service.js';
import { WebhookSubscriptionsService } from '../../libs/payments/src/platform/resources/webhook-subscriptions.service.js';
import type { Account } from './history.accounts.js';
import type { ReplicaSettings, SimulatedReplica } from './simulated.replica.js';
import type { StepOwner } from './virtual.scheduler.js';

/** One account in one process: its services and settings. It lives as long as the process. */
export class ReplicaAccount implements StepOwner {
  constructor(
    readonly process: SimulatedReplica,
    readonly account: Account,
    readonly settings: ReplicaSettings,
    readonly following: CurrentSettings,
  ) {}

  get options(): PaymentsSettings {
    return this.following.current;
  }

  get name(): string {
    return this.process.name;
  }

  get slot(): number {
    return this.process.slot;
  }

  get alive(): boolean {
    return this.process.alive;
  }

  get ready(): boolean {
    return this.process.ready;
  }

  get payments(): PaymentsService {
    return this.services.payments;
  }

  get payouts(): PayoutsService {
    return this.services.payouts;
  }

  get refunds(): RefundsService {
    return this.services.refunds;
  }

  get links(): PaymentLinksService {
    return this.services.paymentLinks;
  }

  get bare(): IncomingPaymentsService {
    return this.services.get(IncomingPaymentsService);
  }

  get webhooks(): WebhookSubscriptionsService {
    return this.services.get(WebhookSubscriptionsService);
  }

  /** All accounts of the process. */
  get accounts(): PaymentsAccounts {
    return this.process.accounts;
  }

  /** Returns the verified delivery, as the guard makes it; null when the guard refuses it. */
  verified(url: string, body: Buffer, apiKey: string): VerifiedDelivery | null {
    return this.process.verified(url, body, apiKey);
  }

  /** Passes on a delivery that the guard has let in. */
  deliver(delivery: VerifiedDelivery, url: string): Promise<void> {
    return this.process.deliver(delivery, url);
  }

  refused(delivery: VerifiedDelivery, url: string): void {
    this.process.refused(delivery, url);
  }

  private get services(): PaymentsAccount {
    return this.process.servicesOf(this.account);
  }
}
