import { createHash } from 'node:crypto';
import type { Money, PlatformPayment } from './platform.truth.js';

/** Bodies as the platform writes them. */
export class PlatformWire {
  /** @param offsetMs the platform's clock is this many milliseconds ahead */
  constructor(
    private readonly offsetMs: number,
    /** Last name of every payer. */
    private readonly payer: string,
  ) {}

  time(at: number): string {
    return new Date(at + this.offsetMs).toISOString();
  }

  /** @param says the values that the reporter writes instead of those of the money's own operation */
  transaction(
    money: Money,
    tillNumber: string,
    status: string,
    says: Money['tillSays'] = {},
  ): Record<string, unknown> {
    const { amount = money.amount, phone = money.phone } = says;
    const back = money.reversalSays ?? amount;
    const digits = phone.slice(1);
    return {
      id: money.id,
      amount: status === 'Reversed' ? back : amount,
      status,
      system: 'Lipa Na M-PESA',
      currency: 'KES',
      reference: money.reference,
      till_number: tillNumber,
      origination_time: this.time(money.at),
      sender_first_name: 'Jane',
      sender_middle_name: null,
      sender_last_name: this.payer,
      ...(money.showsPayer === 'phone' && { sender_phone_number: phone }),
      ...(money.showsPayer === 'hash' && {
        hashed_sender_phone: createHash('sha256').update(digits).digest('hex'),
      }),
    };
  }

  incomingPayment(
    payment: PlatformPayment,
    shown: { status: string; resource: unknown },
  ): Record<string, unknown> {
    return {
      data: {
        id: payment.id,
        type: 'incoming_payment',
        attributes: {
          initiation_time: this.time(payment.createdAt),
          status: shown.status,
          event: {
            type: 'Incoming Payment Request',
            resource: shown.resource,
            errors: payment.errors,
          },
          metadata: payment.metadata,
          _links: {
            callback_url: payment.callbackUrl,
            self: `https://platform.test/api/v2/incoming_payments/${payment.id}`,
          },
        },
      },
    };
  }

  webhook(topic: string, eventId: string, at: number, resource: unknown): Record<string, unknown> {
    return {
      topic,
      id: eventId,
      created_at: this.time(at),
      event: { type: 'Buygoods Transaction', resource },
      _links: {
        self: `https://platform.test/webhook_events/${eventId}`,
        resource: 'https://platform.test/financial_transaction/1',
      },
    };
  }

  /** Returns a webhook in the Daraja format: Nairobi time, to the second, and no status. */
  daraja(money: Money, tillNumber: string): Record<string, unknown> {
    const { amount = money.amount, phone = money.phone } = money.tillSays;
    const inNairobi = new Date(money.at + this.offsetMs + 3 * 3_600_000).toISOString();
    return {
      TransactionType: 'Buygoods',
      TransID: money.reference,
      TransTime: inNairobi.slice(0, 19).replace(/\D/g, ''),
      TransAmount: amount,
      BusinessShortCode: tillNumber,
      FirstName: 'Jane',
      LastName: this.payer,
      ...(money.showsPayer === 'phone' && { MSISDN: phone.slice(1) }),
      ...(money.showsPayer === 'hash' && {
        MSISDN: createHash('sha256').update(phone.slice(1)).digest('hex'),
      }),
    };
  }

  polling(
    id: string,
    status: string,
    window: { from: string; to: string; callbackUrl: string; at: number },
    transactions: readonly Record<string, unknown>[],
  ): Record<string, unknown> {
    return {
      data: {
        id,
        type: 'polling',
        attributes: {
          status,
          created_at: this.time(window.at),
          from_time: window.from,
          to_time: window.to,
          transactions: transactions.map((resource) => ({
            type: 'Buygoods Transaction',
            resource,
          })),
          scope: 'Company',
          scope_reference: null,
          _links: {
            callback_url: window.callbackUrl,
            self: `https://platform.test/api/v2/polling/${id}`,
          },
        },
      },
    };
  }
}
