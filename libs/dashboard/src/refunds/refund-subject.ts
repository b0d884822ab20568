import type { Amount } from '@tillkit/payments';
import type { RefundedMoney } from '@tillkit/payments/types';
import { isPayment, isPaymentLink } from '@tillkit/payments/internal/store';
import { maskedName } from '../html/name.format.js';
import { operationOf, pathOf } from '../operations/operation-kinds.js';
import { orderNumberOf } from '../operations/order-number.format.js';
import { isSearchable } from '../web/list.dto.js';
import { notFound } from '../web/page.errors.js';
import type { LinkQuery, Visit } from '../web/visit.dto.js';
import { WORDS } from '../words/english.words.js';

/** Money that an operator wants to send back. */
export interface RefundSubject {
  money: RefundedMoney;
  /** The fields of the form that name the money. */
  fields: { payment: string } | { till: string; reference: string };
  /** The page that shows the money. */
  page: { path: string; query?: LinkQuery };
  payer: string;
  phone: string | null;
  /** The shown order number; null for money that no operation of ours asked for. */
  orderNumber: string | null;
}

/** The amount that would go back. */
export interface RefundOffer extends RefundSubject {
  amount: Amount;
  reference: string;
  tillNumber: string;
}

/**
 * Finds the money that fields name: the money of a payment, of a payment link, or at a till.
 * @throws PageError 404 when the account has no such money
 */
export async function refundSubject(visit: Visit, fields: URLSearchParams): Promise<RefundSubject> {
  const payment = fields.get('payment')?.trim();
  return payment ? ofOperation(visit, payment) : ofTransaction(visit, fields);
}

/** @throws NotRefundableError when the money cannot go back */
export async function refundOffer(visit: Visit, subject: RefundSubject): Promise<RefundOffer> {
  return { ...subject, ...(await visit.account.refunds.preview(subject.money)) };
}

async function ofOperation(visit: Visit, id: string): Promise<RefundSubject> {
  const operation = await operationOf(visit, id);
  if (!isPayment(operation) && !isPaymentLink(operation)) throw notFound('operation');
  const { transaction } = operation;
  const { firstName, lastName, phoneNumber } = isPayment(operation)
    ? operation.subscriber
    : {
        firstName: transaction?.senderFirstName,
        lastName: transaction?.senderLastName,
        phoneNumber: transaction?.senderPhoneNumber ?? null,
      };
  // The money of a link goes back as money of a till, because only payments are named by their id.
  const money = isPayment(operation)
    ? { paymentId: id }
    : {
        reference: transaction?.reference ?? '',
        tillNumber: transaction?.tillNumber ?? operation.tills[0] ?? '',
      };
  return {
    money,
    fields: { payment: id },
    page: { path: pathOf(operation) },
    payer: maskedName([firstName, lastName]) || WORDS.common.unknown,
    phone: phoneNumber || null,
    orderNumber: orderNumberOf(operation),
  };
}

async function ofTransaction(visit: Visit, fields: URLSearchParams): Promise<RefundSubject> {
  const { store, name } = visit.account;
  const till = fields.get('till')?.trim() ?? '';
  const reference = fields.get('reference')?.trim() ?? '';
  const record =
    till && reference && [till, reference].every(isSearchable)
      ? await store.transactions.findTyped(name, reference)
      : null;
  const sum = record?.sums.find(({ tills }) => tills.includes(till));
  if (!record || !sum) throw notFound('transaction');
  const money = sum.received ?? sum.reversal;
  const names = [money?.senderFirstName, money?.senderMiddleName, money?.senderLastName];
  return {
    money: { reference: record.reference, tillNumber: till },
    fields: { till, reference: record.reference },
    page: { path: 'transaction', query: { till, reference: record.reference } },
    payer: maskedName(names) || WORDS.common.unknown,
    phone: money?.senderPhoneNumber ?? null,
    orderNumber: null,
  };
}
