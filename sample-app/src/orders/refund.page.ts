import { html } from '@tillkit/pages';
import type { ShopSettings } from '../shop.settings.js';
import { formatAmount, maskPhone } from '../web/formats.js';
import { page } from '../web/page-layout.js';
import { paidWith, type OrderView } from './order.js';

export const REFUND_PROBLEM =
  'This money cannot be refunded now, and nothing was sent. It has just come and is not confirmed yet (try again in a minute), it went back, it is on its way back, or it is older than 30 days.';

/** Asks the shopkeeper to confirm a refund. @param problem the reason why it was refused */
export function refundPage(view: OrderView, settings: ShopSettings, problem?: string): string {
  const { order, payment } = view;
  const money = paidWith(view);
  const phone =
    money.transaction?.senderPhoneNumber ?? (money === payment && payment.subscriber.phoneNumber);
  const amount = formatAmount(money.amount);
  const title = `Refund order ${order.number}?`;
  const body = html`<div class="panel receipt">
    <h1>${title}</h1>
    <p>
      <strong>${amount}</strong> go back to <strong>${maskPhone(phone || '')}</strong>. You cannot
      take that back.
    </p>
    <form method="post" action="/orders/${order.id}/refunds">
      <input type="hidden" name="refund" value="${order.refunds + 1}" />
      ${problem && html`<p class="problem" role="alert">${problem}</p>`}
      <button class="button" type="submit">Refund ${amount}</button>
    </form>
    <p><a href="/orders/${order.id}">Keep the money</a></p>
  </div>`;
  return page({ title, body }, settings);
}
