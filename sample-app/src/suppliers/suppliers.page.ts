import { html, type Html } from '@tillkit/pages';
import { PAYOUT_SCENARIOS } from '@tillkit/simulator';
import { formField } from '../orders/form-field.js';
import { practicePhone } from '../practice/practice-phones.js';
import type { ShopSettings } from '../shop.settings.js';
import { formatAmount, formatTime, maskPhone } from '../web/formats.js';
import { liveSection, type LiveSection } from '../web/live-section.js';
import { page } from '../web/page-layout.js';
import { inKes, PAYOUT_LIMITS, type PayoutForm, type PayoutProblems } from './payout.form.js';
import { payoutText } from './payout-texts.js';
import type { SupplierPayout } from './suppliers.service.js';

const REFRESH_SECONDS = 10;

const OFFERED = [
  PAYOUT_SCENARIOS.transferred,
  PAYOUT_SCENARIOS.cancelled,
  PAYOUT_SCENARIOS.open,
  PAYOUT_SCENARIOS.silent,
];

/** Returns the page on which the shopkeeper pays suppliers. */
export function suppliersPage(
  form: PayoutForm,
  problems: PayoutProblems,
  latest: readonly SupplierPayout[],
  settings: ShopSettings,
): string {
  const section = suppliersSection(latest, settings);
  const isWrong = Object.keys(problems).length > 0;
  const body = html`<h1>Suppliers</h1>
    <p class="lead">Pay a supplier from the till, to a phone.</p>
    <div class="columns">
      <section class="panel">
        <h2>Pay a supplier</h2>
        ${payoutForm(form, problems)}
      </section>
      <section>
        <h2>Practice phones</h2>
        <p class="soft">The last two digits decide what happens to the money.</p>
        <ul class="phones">
          ${OFFERED.map(({ digits, summary }) => practiceLink(practicePhone(digits), summary))}
        </ul>
      </section>
    </div>
    <h2>Last payouts</h2>
    ${liveSection(section, '/suppliers/events')}`;
  const title = isWrong ? `Please correct · ${section.title}` : section.title;
  // A reload would empty a form that is being corrected.
  const refreshSeconds = isWrong ? undefined : REFRESH_SECONDS;
  return page({ title, menu: 'suppliers', refreshSeconds, body }, settings);
}

export function suppliersSection(
  latest: readonly SupplierPayout[],
  { practice }: ShopSettings,
): LiveSection {
  const [newest] = latest;
  return {
    title: 'Suppliers',
    announcement: newest
      ? `Latest: ${formatAmount(newest.payout.amount)} to ${newest.supplier}: ${payoutText(newest.payout)}`
      : '',
    content: newest ? table(latest, practice?.url) : html`<p>No payout yet.</p>`,
    isFinal: false,
  };
}

/** Returns the number to which a payout goes; null after retention has redacted it. */
export function phoneOf({ payout }: SupplierPayout): string | null {
  const recipient = payout.destinations[0]?.recipient;
  return recipient?.type === 'mobile_wallet' ? recipient.phoneNumber : null;
}

function payoutForm(
  { ticket, supplier, phone, amount, by }: PayoutForm,
  problems: PayoutProblems,
): Html {
  const { perPayout, approveFrom } = PAYOUT_LIMITS;
  return html`<form method="post" action="/suppliers" novalidate>
    <input type="hidden" name="ticket" value="${ticket}" />
    ${formField({
      name: 'supplier',
      label: 'Supplier',
      hint: 'Who gets the money.',
      value: supplier,
      problem: problems.supplier,
    })}
    ${formField({
      name: 'phone',
      label: 'Phone number',
      hint: 'The supplier’s mobile-money number, such as 0700\u00a0000\u00a0061.',
      value: phone,
      problem: problems.phone,
    })}
    ${formField({
      name: 'amount',
      label: 'Amount in KES',
      hint: `At most ${inKes(perPayout)}. From ${inKes(approveFrom)} on a second person must approve it.`,
      value: amount,
      problem: problems.amount,
    })}
    ${formField({
      name: 'by',
      label: 'Your name',
      hint: 'Who asks for this payout.',
      value: by,
      problem: problems.by,
    })}
    <button class="button" type="submit">Pay the supplier</button>
  </form>`;
}

function practiceLink(number: string, summary: string): Html {
  return html`<li><a href="/suppliers?phone=${number}">${number}</a> ${summary}</li>`;
}

function table(latest: readonly SupplierPayout[], platformUrl: string | undefined): Html {
  return html`<table>
    <thead>
      <tr>
        <th scope="col">Amount</th>
        <th scope="col">To</th>
        <th scope="col">State</th>
        <th scope="col">Asked for</th>
      </tr>
    </thead>
    <tbody>
      ${latest.map((one) => row(one, platformUrl))}
    </tbody>
  </table>`;
}

function row(one: SupplierPayout, platformUrl: string | undefined): Html {
  const { supplier, payout } = one;
  const phone = phoneOf(one);
  return html`<tr>
    <td class="price">${formatAmount(payout.amount)}</td>
    <td>
      <bdi>${supplier}</bdi>
      ${phone && html`<span class="soft">${maskPhone(phone)}</span>`}
      ${phone && platformUrl && html`<a href="${platformUrl}/?phone=${phone}">The phone</a>`}
    </td>
    <td>
      ${payoutText(payout)}
      ${payout.awaitsApproval && html`<a href="/suppliers/${payout.id}">Approve</a>`}
    </td>
    <td>
      ${formatTime(payout.createdAt)} <span class="soft"><bdi>${payout.requestedBy}</bdi></span>
    </td>
  </tr>`;
}
