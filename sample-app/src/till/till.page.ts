import type { ShopSettings } from '../shop.settings.js';
import { formatAmount, formatTime, maskPhone } from '../web/formats.js';
import { html, type Html } from '@tillkit/pages';
import { liveSection, type LiveSection } from '../web/live-section.js';
import { page } from '../web/page-layout.js';
import type { ListedEntry, ThanksState } from './till-repository.js';

const REFRESH_SECONDS = 10;

/** Returns the page of the money that the till received. */
export function tillPage(
  entries: readonly ListedEntry[],
  settings: ShopSettings,
  isBroken: boolean,
): string {
  const section = tillSection(entries);
  const body = html`<h1>The till</h1>
    <p class="lead">The money that the till received, newest first, with or without an order.</p>
    ${liveSection(section, '/till/events')} ${settings.practice && listenerSwitch(isBroken)}`;
  return page(
    { title: section.title, menu: 'till', refreshSeconds: REFRESH_SECONDS, body },
    settings,
  );
}

function listenerSwitch(isBroken: boolean): Html {
  const text = isBroken
    ? html`The listener that stores this money is broken: new money does not appear. After its third
        attempt, each call is a <a href="/dashboard/dead-letters">dead letter</a>. Repair the
        listener, then replay them there.`
    : 'To see dead letters: break the listener that stores this money, then buy something.';
  const [action, label] = isBroken
    ? ['repair', 'Repair the listener']
    : ['break', 'Break the listener'];
  return html`<form class="panel" method="post" action="/till/listener">
    <p class="soft">${text}</p>
    <button class="button quiet" name="action" value="${action}">${label}</button>
  </form>`;
}

export function tillSection(entries: readonly ListedEntry[]): LiveSection {
  const [newest] = entries;
  return {
    title: 'Till',
    announcement: newest ? announcementOf(newest) : '',
    content: newest ? table(entries) : EMPTY,
    isFinal: false,
  };
}

function announcementOf(entry: ListedEntry): string {
  const news = `Latest: ${amountOf(entry)} from ${entry.payer}`;
  return entry.reversed ? `${news}, went back` : news;
}

const EMPTY = html`<p><strong>Nothing yet.</strong> Buy something, and its money appears here.</p>
  <p><a class="button" href="/">To the shop</a></p>`;

const THANKS: Readonly<Record<ThanksState, string>> = {
  requested: 'SMS on its way',
  sent: 'SMS sent',
  failed: 'No SMS',
};

function table(entries: readonly ListedEntry[]): Html {
  return html`<table>
    <thead>
      <tr>
        <th scope="col">Amount</th>
        <th scope="col">From</th>
        <th scope="col">For</th>
        <th scope="col">Received</th>
      </tr>
    </thead>
    <tbody>
      ${entries.map(row)}
    </tbody>
  </table>`;
}

function row(entry: ListedEntry): Html {
  const { payer, phone, orderNumber, thanks, receivedAt, reference, reversed } = entry;
  const amount = amountOf(entry);
  return html`<tr>
    <td class="price">
      ${reversed ? html`<s>${amount}</s> <span class="soft">Went back</span>` : amount}
    </td>
    <td><bdi>${payer}</bdi> ${phone && html`<span class="soft">${maskPhone(phone)}</span>`}</td>
    <td>
      ${orderNumber === null ? 'Paid directly' : `Order ${orderNumber}`}
      ${thanks && html`<span class="soft">${THANKS[thanks]}</span>`}
    </td>
    <td>${formatTime(receivedAt)} <span class="soft">${reference}</span></td>
  </tr>`;
}

function amountOf({ amount, currency }: ListedEntry): string {
  return amount && currency ? formatAmount({ currency, value: amount }) : 'Unreadable amount';
}
