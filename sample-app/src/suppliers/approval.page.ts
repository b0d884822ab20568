import { html } from '@tillkit/pages';
import { formField } from '../orders/form-field.js';
import type { ShopSettings } from '../shop.settings.js';
import { formatAmount, maskPhone } from '../web/formats.js';
import { page } from '../web/page-layout.js';
import { phoneOf } from './suppliers.page.js';
import type { SupplierPayout } from './suppliers.service.js';

/** The typed texts and their problems. */
export interface Approval {
  readonly by: string;
  readonly problem?: string;
}

/** Asks a second person to approve a payout. */
export function approvalPage(
  one: SupplierPayout,
  settings: ShopSettings,
  { by, problem }: Approval = { by: '' },
): string {
  const { supplier, payout } = one;
  const amount = formatAmount(payout.amount);
  const title = `Approve ${amount}?`;
  const body = html`<div class="panel receipt">
    <h1>${title}</h1>
    <p>
      <bdi>${payout.requestedBy}</bdi> asks to pay <strong>${amount}</strong> to
      <strong><bdi>${supplier}</bdi></strong
      >, ${maskPhone(phoneOf(one) ?? '')}.
    </p>
    <form method="post" action="/suppliers/${payout.id}" novalidate>
      ${formField({
        name: 'by',
        label: 'Your name',
        hint: 'Another person than the one who asks.',
        value: by,
        problem,
      })}
      <button class="button" type="submit" name="decision" value="approve">Approve</button>
      <button class="button quiet" type="submit" name="decision" value="decline">Decline</button>
    </form>
    <p><a href="/suppliers">Decide later</a></p>
  </div>`;
  return page({ title, menu: 'suppliers', body }, settings);
}
