import { Global, Module } from '@nestjs/common';
import { PaymentsLedgerModule } from '../ledger/ledger.module.js';
import { PaymentsTillsModule } from '../tills/tills.module.js';
import { PaymentsPlatformModule } from '../platform/platform.module.js';
import { ImmediateApplier, Inbox } from './inbox.service.js';
import { CallbackResultsService } from './callback-results.service.js';
import {
  WebhookConfirmations,
  WebhookTransactionsService,
} from './webhook-transactions.service.js';
import { WebhookNoticesService } from './webhook-notices.service.js';
import { BareResultsService } from './bare-results.service.js';
import { UnansweredPollings } from './unanswered-pollings.js';
import { MessageApplier } from './message-applier.js';
import { DeliveryClaims, DeliveryProcessor } from './delivery-processor.js';

const INBOX = [
  Inbox,
  CallbackResultsService,
  BareResultsService,
  UnansweredPollings,
  WebhookConfirmations,
  WebhookTransactionsService,
  WebhookNoticesService,
  MessageApplier,
  ImmediateApplier,
  DeliveryClaims,
  DeliveryProcessor,
];

/**
 * Deliveries after their signature: stores each one once, answers 2xx, understands it, and gives what it says to the ledger and to the tills.
 *
 * It must never answer 2xx before the delivery is stored, and never drop what it does not understand.
 */
@Global()
@Module({
  imports: [PaymentsLedgerModule, PaymentsTillsModule, PaymentsPlatformModule],
  providers: INBOX,
  exports: INBOX,
})
export class PaymentsInboxModule {}
