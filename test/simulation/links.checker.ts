import type { PaymentLinkRecord } from '../../libs/payments/src/operations/payment-links/payment-link.js';
import { hasReadableAmount, isPartly } from './platform.truth.js';
import type { Simulation } from './history.simulation.js';

/** States in which the library knows that somebody paid, or that a person must look. */
const CHARGE_IS_KNOWN = new Set(['succeeded', 'reversed', 'needs_review']);

/** Checks that a link is paid by its own money only. */
export class LinksChecker {
  constructor(private readonly simulation: Simulation) {}

  changed(link: PaymentLinkRecord): void {
    const { simulation } = this;
    const { state, transaction, idempotencyKey: key } = link;
    if (state !== 'succeeded' || !transaction) return;
    const money = simulation.checker.moneyOf(transaction);
    if (money?.link?.key !== key)
      simulation.violate(
        'transaction of another payment',
        `${key} is paid by ${transaction.reference}, which is not its money`,
      );
    if (
      transaction.provenance !== 'request' &&
      Number(money?.amount) !== Number(transaction.amount)
    )
      simulation.violate(
        'other amount',
        `${key} says that it was paid with ${transaction.amount}, and ${money?.amount} came`,
      );
  }

  end(link: PaymentLinkRecord): void {
    const { simulation } = this;
    const { state, platformId, cause, idempotencyKey: key } = link;
    const truth = simulation.platform.links.ofKey(key);
    const money = truth?.money ?? null;
    if (money && !CHARGE_IS_KNOWN.has(state))
      simulation.violate('charge not recognised', `${key} was paid and is ${state}`);
    if (!money && (state === 'succeeded' || state === 'reversed'))
      simulation.violate('success without a charge', `${key} is ${state}, but nobody paid`);
    const isOther = money !== null && Number(money.amount) !== Number(link.amount.value);
    const isSaid = money?.receivedApplied || (money?.wasListed && hasReadableAmount(money));
    // When its till has reported only the reversal, we compare that with the requested amount.
    const isBackAsked = isOther && cause === 'other_amount_reversed';
    const isAsked = cause === 'amount_mismatch' || isBackAsked;
    if (state === 'succeeded' && isOther && isSaid && !isAsked)
      simulation.violate('other amount', `${key} is paid by ${money?.amount}, and nobody is asked`);
    const isWhole = money?.reversedAt != null && !isPartly(money);
    if (state === 'succeeded' && isWhole && !isBackAsked)
      simulation.violate('reversal ignored', `${key} is succeeded, but its money went back`);
    const isReversed = money?.reversedAt != null;
    // A link that can still be paid has not ended, so nothing can settle it.
    const hasEnded = truth?.consistent === true && truth.status !== 'Active';
    if (state === 'needs_review' && platformId !== null && hasEnded && !isReversed)
      simulation.violate(
        'needless review',
        `${key} stays in review (${cause}), but the evidence is consistent`,
      );
  }
}
