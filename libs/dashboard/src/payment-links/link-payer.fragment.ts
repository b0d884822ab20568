import type { PaymentLinkRecord } from '@tillkit/payments/store';
import { html, type Html } from '@tillkit/pages';
import { maskedName } from '../html/name.format.js';
import { maskedPhone } from '../html/phone.format.js';
import { text } from '../html/text.fragment.js';
import type { Words } from '../words/english.words.js';

/** Who paid at a link: name and masked phone number. */
export function linkPayer(words: Words, link: PaymentLinkRecord): Html {
  const name = nameOfLinkPayer(words, link);
  if (name === null) return html`<span class="soft">${words.common.noneKnown}</span>`;
  const phone = link.transaction?.senderPhoneNumber ?? null;
  return html`${text(name, 60)}<br />${maskedPhone(words, phone)}`;
}

/** The name of who paid; null while nobody has. */
export function nameOfLinkPayer(
  { common }: Words,
  { transaction }: PaymentLinkRecord,
): string | null {
  if (!transaction) return null;
  const { senderFirstName, senderMiddleName, senderLastName } = transaction;
  return maskedName([senderFirstName, senderMiddleName, senderLastName]) || common.unknown;
}
