import type { PaymentRecord } from '@tillkit/payments/store';
import { html, type Html } from '../html/html.template.js';
import type { Visit } from '../web/visit.js';

/** A person's word on a payment whose evidence does not decide it. */
export function reviewForm(visit: Visit, payment: PaymentRecord): Html {
  const action = visit.link(`payments/${encodeURIComponent(payment.id)}/review`);
  const reference = payment.transaction?.reference ?? '';
  return html`<section class="review" aria-labelledby="review">
    <h2 id="review">Your word</h2>
    <p>
      The evidence does not decide this payment. Look at the statement of the till; what you say is
      final, and is written to the timeline with your name (${visit.operator}).
    </p>
    <form method="post" action="${action}">
      <fieldset class="choices">
        <legend>It was</legend>
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
          <label for="review-note">Why</label>
          <input
            id="review-note"
            name="note"
            required
            maxlength="500"
            placeholder="it is on the statement"
          />
        </div>
      </div>
      <p class="actions"><button>Settle the payment</button></p>
    </form>
  </section>`;
}
