import { Global, Module, type FactoryProvider } from '@nestjs/common';
import { OperationKinds } from '../ledger/operation.kind.js';
import { PaymentsPlatformModule } from '../platform/platform.module.js';
import { Resources } from '../platform/resources.js';
import { PaymentsSendModule } from '../send/send.module.js';
import { PaymentLinkKind } from './payment-links/payment-link.kind.js';
import { PaymentKind } from './payments/payment.kind.js';
import { PayoutKind } from './payouts/payout.kind.js';
import { RefundKind } from './refunds/refund.kind.js';

/** The kinds of operations. Adding a kind adds one line here. */
const KINDS: FactoryProvider<OperationKinds> = {
  provide: OperationKinds,
  inject: [Resources],
  useFactory: (resources: Resources) =>
    new OperationKinds([
      new PaymentKind(resources),
      new PayoutKind(resources),
      new RefundKind(resources),
      new PaymentLinkKind(resources),
    ]),
};

/**
 * Provides the operations that hosts ask for: payments, payouts, refunds and payment links. Each kind has a folder with its input, its
 * record, its decisions on evidence, and its events.
 *
 * Kinds must never import each other: what they share stands in the ledger and in `send/`.
 */
@Global()
@Module({
  imports: [PaymentsPlatformModule, PaymentsSendModule],
  providers: [KINDS],
  exports: [OperationKinds],
})
export class PaymentsOperationsModule {}
