import type { PaymentRecord } from '@tillkit/payments/store';
import { html, type Html } from '@tillkit/pages';
import { inAccount } from '../html/account.fragment.js';
import type { Visit } from '../web/visit.dto.js';

const OUTCOMES = ['succeeded', 'failed', 'reversed'] as const;

/** The form for a person's decision on a payment in review. */
export function reviewForm(visit: Visit, payment: PaymentRecord): Html {
  const action = visit.link(`payments/${encodeURIComponent(payment.id)}/review`);
  const reference = payment.transaction?.reference ?? '';
  const { review } = visit.words;
  return html`<section class="review" aria-labelledby="review">
    <h2 id="review">${review.title}</h2>
    <p>${review.text(visit.operator)}</p>
    <form method="post" action="${action}">
      <fieldset class="choices">
        <legend>${review.outcome}</legend>
        ${OUTCOMES.map(
          (outcome) =>
            html`<label
              ><input type="radio" name="state" value="${outcome}" required />${
                review.outcomes[outcome]
              }</label
            >`,
        )}
      </fieldset>
      <div class="fields">
        <div class="field">
          <label for="review-reference">${review.reference}</label>
          <input id="review-reference" name="reference" value="${reference}" maxlength="200" />
        </div>
        <div class="field">
          <label for="review-note">${review.note}</label>
          <input
            id="review-note"
            name="note"
            required
            maxlength="500"
            placeholder="${review.noteHint}"
          />
        </div>
      </div>
      <p class="actions"><button>${review.save}</button> ${inAccount(visit)}</p>
    </form>
  </section>`;
}
