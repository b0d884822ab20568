import type { OperationInTheWay } from '@tillkit/payments/types';
import { html } from '@tillkit/pages';
import type { ShopSettings } from '../shop.settings.js';
import { formatTime } from '../web/formats.js';
import { page } from '../web/page-layout.js';

/** The form of another request, while an earlier one may still be paid. */
export interface Again {
  /** The form is posted to this address, with the values that it repeats. */
  readonly action: string;
  readonly fields: Readonly<Record<string, string>>;
  /** A customer who finds the prompt goes to this address. */
  readonly back: string;
  readonly inTheWay: readonly Pick<OperationInTheWay, 'id' | 'metadata' | 'since'>[];
}

/**
 * Asks the customer whether the phone shows a prompt, because nobody else knows. The form names exactly the payments that the new request
 * may pass. Any other payment still refuses it, and so does one of these that has been paid meanwhile.
 */
export function againPage(
  { action, fields, back, inTheWay }: Again,
  settings: ShopSettings,
): string {
  const title = 'No prompt on your phone?';
  const body = html`<div class="panel receipt">
    <h1>${title}</h1>
    <p>We have asked before, and do not know yet whether that is paid:</p>
    <ul>
      ${inTheWay.map(
        ({ metadata, since }) =>
          html`<li>Order ${String(metadata?.['order'])}, asked at ${formatTime(since)}</li>`,
      )}
    </ul>
    <p>
      If your phone shows a request for your PIN, answer that one. Send it again only if there is
      none: who answers both pays twice, and we have to give one back.
    </p>
    <p><a class="button" href="${back}">My phone shows it</a></p>
    <form method="post" action="${action}">
      ${Object.entries(fields).map(
        ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
      )}
      <input type="hidden" name="besides" value="${inTheWay.map(({ id }) => id).join(' ')}" />
      <button class="button quiet" type="submit">There is none: send it again</button>
    </form>
  </div>`;
  return page({ title, body }, settings);
}

/** This page stands in the place of a second sale of one basket. */
export function paidPage(
  paid: readonly Pick<OperationInTheWay, 'metadata'>[],
  settings: ShopSettings,
): string {
  const title = 'This is paid already';
  const numbers = paid.map(({ metadata }) => String(metadata?.['order'])).join(', ');
  const body = html`<div class="panel receipt">
    <img src="/pictures/paid.svg" alt="" width="120" height="120" />
    <h1>${title}</h1>
    <p>Order ${numbers} has paid for this basket, so we did not ask again. Asante!</p>
    <p><a href="/">Back to the shop</a></p>
  </div>`;
  return page({ title, body }, settings);
}

/** Returns the ids that the form names. */
export function passedIn(text: string): string[] {
  return text.split(' ').filter((id) => id !== '');
}
