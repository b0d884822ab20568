import {
  INCOMING_PAYMENT,
  parseDelivery,
  readResource,
  type DeliveryMessage,
} from '@tillkit/payments/internal/routes';
import type { IncomingPayment, Transaction } from '@tillkit/payments';
import type { DeliveryRecord } from '@tillkit/payments/types';
import { html, type Html, type HtmlContent } from '@tillkit/pages';
import { facts } from '../html/list.fragment.js';
import { moneyOf } from '../html/money.fragment.js';
import { masked, text } from '../html/text.fragment.js';
import type { Visit } from '../web/visit.dto.js';
import { WORDS } from '../words/english.words.js';

type Fact = readonly [string, HtmlContent];

/** Shows the content of a delivery, as far as this version understands its body; null when it understands nothing. */
export function contentOf(visit: Visit, { body }: DeliveryRecord): Html | null {
  const entries = factsOf(visit, parseDelivery(body, { accepted: {} }));
  return entries.length > 0
    ? html`<section aria-labelledby="content">
        <h2 id="content">${WORDS.delivery.content}</h2>
        ${facts(entries)}
      </section>`
    : null;
}

function factsOf(visit: Visit, message: DeliveryMessage): Fact[] {
  const { common, delivery, payment } = WORDS;
  switch (message.kind) {
    case 'transaction': {
      const { transaction, topic, eventId } = message;
      return [
        [delivery.topic, code(topic)],
        ...moneyFacts(visit, transaction),
        [payment.status, text(transaction.status ?? common.none)],
        [delivery.eventId, eventId === null ? common.none : code(eventId)],
      ];
    }
    case 'result': {
      const { type, id, attributes } = message.resource;
      const { status } = attributes;
      return [
        [delivery.type, code(type)],
        [payment.platformId, code(id)],
        [payment.status, text(typeof status === 'string' ? status : common.none)],
        ...(INCOMING_PAYMENT.types.includes(type)
          ? paidFacts(visit, readResource(INCOMING_PAYMENT, message.resource))
          : []),
      ];
    }
    case 'unproven': {
      const { topic, status } = message;
      return [
        [delivery.topic, code(topic)],
        [payment.status, text(status ?? common.none)],
      ];
    }
    case 'notice':
      return [[delivery.topic, code(message.topic)]];
    case 'unrecognised':
      return message.topic === null ? [] : [[delivery.topic, code(message.topic)]];
  }
}

function paidFacts(visit: Visit, { event: { resource, errors } }: IncomingPayment): Fact[] {
  return [
    ...(resource ? moneyFacts(visit, resource) : []),
    ...errors.map((error) => [WORDS.delivery.error, masked(error, 400)] as const),
  ];
}

function moneyFacts(visit: Visit, transaction: Transaction): Fact[] {
  const { common } = WORDS;
  const { amount, currency, originationTime } = transaction;
  return [
    [common.reference, reference(visit, transaction)],
    [common.amount, moneyOf(amount, currency)],
    [common.originated, visit.times.showText(originationTime)],
  ];
}

function reference(visit: Visit, { reference: given, tillNumber: till }: Transaction): HtmlContent {
  if (given === null) return WORDS.common.none;
  const shown = code(given);
  return till === null
    ? shown
    : html`<a href="${visit.link('transaction', { till: till.trim(), reference: given.trim() })}"
        >${shown}</a
      >`;
}

/** Returns a name that the platform gives. */
function code(value: string): Html {
  return html`<span class="mono">${masked(value, 120)}</span>`;
}
