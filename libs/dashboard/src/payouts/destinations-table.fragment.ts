import type { PayoutRecord } from '@tillkit/payments/internal/store';
import { html, type Html } from '@tillkit/pages';
import { table } from '../html/list.fragment.js';
import { money } from '../html/money.fragment.js';
import { masked, text } from '../html/text.fragment.js';
import { destination, purpose } from './destination.fragment.js';
import { WORDS } from '../words/english.words.js';

/** Returns the destinations of a payout, each with its outcome. */
export function destinationsTable(
  { transfers, recipients, outcome, amount: { currency } }: PayoutRecord,
  isRevealed: boolean,
): Html {
  const { payout, common } = WORDS;
  const rows = transfers.map(({ amount }, index) => {
    const recipient = recipients[index] ?? null;
    const { state = 'open', transactionReference = null, errors = [] } = outcome?.[index] ?? {};
    const said = errors.map((error) => html`<br />${masked(error, 200)}`);
    return [
      index + 1,
      destination(recipient, isRevealed),
      purpose(recipient, isRevealed),
      money({ currency, value: amount }),
      html`${payout.results[state]}${said}`,
      transactionReference !== null &&
        html`<span class="mono">${text(transactionReference, 60)}</span>`,
    ];
  });
  return table(
    payout.destinations,
    [
      { name: 'Number', isNumber: true },
      { name: payout.to },
      { name: payout.purpose },
      { name: common.amount, isNumber: true },
      { name: 'Result' },
      { name: common.reference },
    ],
    rows,
  );
}
