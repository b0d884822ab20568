import { DeliveryPage } from './deliveries/delivery.page.js';
import { ReplaysService } from './dead-letters/replays.service.js';
import { OperationActionsService } from './operations/operation-actions.service.js';
import { DecisionsService } from './reviews/decisions.service.js';
import { ReviewsPage } from './reviews/reviews.page.js';
import { OverviewPage } from './overview/overview.page.js';
import { LinkCancellationPage } from './payment-links/link-cancellation.page.js';
import { LinkFormPage } from './payment-links/link-form.page.js';
import { PaymentLinksPage } from './payment-links/payment-links.page.js';
import { FindPage } from './payments/find.page.js';
import { PaymentPage } from './payments/payment.page.js';
import { PayoutApprovalPage } from './payouts/payout-approval.page.js';
import { PayoutFormPage } from './payouts/payout-form.page.js';
import { PayoutsPage } from './payouts/payouts.page.js';
import { ReconciliationPage } from './reconciliation/reconciliation.page.js';
import { RefundFormPage } from './refunds/refund-form.page.js';
import { RefundsPage } from './refunds/refunds.page.js';
import { SendingPage } from './sending/sending.page.js';
import { StatementPage } from './statement/statement.page.js';
import { TotalsPage } from './totals/totals.page.js';
import { TransactionPage } from './transactions/transaction.page.js';
import { show, submit, type PageRoute } from './web/page.controller.js';

/**
 * The pages of an account, beside its lists. A form that only reveals something answers at its own address. A browser that opens this
 * address gets the page without it.
 */
export const PAGE_ROUTES: readonly PageRoute[] = [
  show('', OverviewPage, 'start'),
  show('overview', OverviewPage, 'show'),
  show('statistics.json', OverviewPage, 'figures'),
  show('totals', TotalsPage, 'show'),
  show('totals.csv', TotalsPage, 'file'),
  show('statement', StatementPage, 'show'),
  submit('statement', StatementPage, 'compare'),
  show('statement.csv', StatementPage, 'file'),
  submit('find', FindPage, 'find'),
  show('find', FindPage, 'found'),
  show('payments/:id', PaymentPage, 'show'),
  submit('payments/:id/phone', PaymentPage, 'reveal'),
  show('payments/:id/phone', PaymentPage, 'show'),
  show('payouts/:id', PayoutsPage, 'show'),
  submit('payouts/:id/phones', PayoutsPage, 'reveal'),
  show('payouts/:id/phones', PayoutsPage, 'show'),
  show('refunds/:id', RefundsPage, 'show'),
  show('payment-links/:id', PaymentLinksPage, 'show'),
  // Till and reference are query parameters: the platform may write any character into them, including a slash.
  show('transaction', TransactionPage, 'show'),
  submit('transaction/phone', TransactionPage, 'reveal'),
  show('transaction/phone', TransactionPage, 'revealed'),
  show('deliveries/:id', DeliveryPage, 'show'),
  submit('deliveries/:id/body', DeliveryPage, 'reveal'),
  show('deliveries/:id/body', DeliveryPage, 'show'),
  show('reconciliation', ReconciliationPage, 'form'),
  submit('reconciliation', ReconciliationPage, 'compare'),
  show('reviews', ReviewsPage, 'show'),
  show('sending', SendingPage, 'show'),
];

/**
 * The actions of operators on those pages. Each route has the action guards of the host. Without such guards these routes do not exist,
 * whatever is posted.
 */
export const ACTION_ROUTES: readonly PageRoute[] = [
  // These routes serve every kind of operation, because ids are unique within an account.
  submit('operations/:id/review', DecisionsService, 'resolve'),
  show('reviews/decide', ReviewsPage, 'form'),
  submit('reviews/decide', ReviewsPage, 'decide'),
  submit('operations/:id/note', OperationActionsService, 'note'),
  submit('operations/:id/status', OperationActionsService, 'readStatus'),
  show('refunds/new', RefundFormPage, 'start'),
  submit('refunds/new', RefundFormPage, 'check'),
  submit('refunds', RefundFormPage, 'send'),
  show('payouts/new', PayoutFormPage, 'start'),
  submit('payouts/new', PayoutFormPage, 'check'),
  submit('payouts', PayoutFormPage, 'send'),
  show('payouts/:id/approve', PayoutApprovalPage, 'show'),
  submit('payouts/:id/approve', PayoutApprovalPage, 'approve'),
  submit('payouts/:id/decline', PayoutApprovalPage, 'decline'),
  show('payment-links/new', LinkFormPage, 'start'),
  submit('payment-links/new', LinkFormPage, 'check'),
  submit('payment-links', LinkFormPage, 'send'),
  show('payment-links/:id/cancel', LinkCancellationPage, 'show'),
  submit('payment-links/:id/cancel', LinkCancellationPage, 'cancel'),
  submit('deliveries/:id/replay', DeliveryPage, 'replay'),
  // The id is a field of the form, not part of the path: it contains a listener's name, which may have any character.
  submit('dead-letters/replay', ReplaysService, 'replay'),
  submit('sending', SendingPage, 'decide'),
];
