import type { PaymentRecord } from '@tillkit/payments/store';
import { html, type Html } from '@tillkit/pages';
import { inAccount } from '../html/account.fragment.js';
import type { Visit } from '../web/visit.dto.js';

/** The form for a person's decision on a payment in review. */
export function reviewForm(visit: Visit, payment: PaymentRecord): Html {
  const action = visit.link(`payments/${encodeURIComponent(payment.id)}/review`);
  const reference = payment.transaction?.reference ?? '';
  return html`<section class="review" aria-labelledby="review">
    <h2 id="review">Decide this payment</h2>
    <p>
      The library cannot decide this payment from the evidence. Check the statement of the till.
      Your decision is final. The timeline records it with your name (${visit.operator}).
    </p>
    <form method="post" action="${action}">
      <fieldset class="choices">
        <legend>The payment was</legend>
        <label><input type="radio" name="state" value="succeeded" required />paid</label>
        <label><input type="radio" name="state" value="failed" required />not paid</label>
        <label
          ><input type="radio" name="state" value="reversed" required />paid, and the money went
          back</label
        >
      </fieldset>
      <div class="fields">
        <div class="field">
          <label for="review-reference">Reference of the money, if it was paid</label>
          <input id="review-reference" name="reference" value="${reference}" maxlength="200" />
        </div>
        <div class="field">
          <label for="review-note">Reason for the decision</label>
          <input
            id="review-note"
            name="note"
            required
            maxlength="500"
            placeholder="it is on the statement"
          />
        </div>
      </div>
      <p class="actions"><button>Save the decision</button> ${inAccount(visit)}</p>
    </form>
  </section>`;
}
