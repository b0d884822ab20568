import type { PaymentLinkRecord } from '@tillkit/payments/internal/store';
import { html, type Html } from '@tillkit/pages';
import { maskedName } from '../html/name.format.js';
import { maskedPhone } from '../html/phone.format.js';
import { text } from '../html/text.fragment.js';
import { WORDS } from '../words/english.words.js';

/** Returns the name and the masked phone number of the person who paid at a link. */
export function linkPayer(link: PaymentLinkRecord): Html {
  const name = nameOfLinkPayer(link);
  if (name === null) return html`<span class="soft">${WORDS.common.noneKnown}</span>`;
  const phone = link.transaction?.senderPhoneNumber ?? null;
  return html`${text(name, 60)}<br />${maskedPhone(phone)}`;
}

/** Returns the name of the person who paid at a link; null while nobody has. */
export function nameOfLinkPayer({ transaction }: PaymentLinkRecord): string | null {
  if (!transaction) return null;
  const { senderFirstName, senderMiddleName, senderLastName } = transaction;
  return maskedName([senderFirstName, senderMiddleName, senderLastName]) || WORDS.common.unknown;
}
