import { beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { Payment, PaymentsEvents } from '@tillkit/payments';
import { ShopFeed } from '../shop.feed.js';
import { MemoryOrdersRepository } from './memory-orders.repository.js';
import { attemptKey } from './order.js';
import { OrdersListener } from './orders.listener.js';

const ID = 'b'.repeat(32);

const paymentOf = (attempt: number): Payment =>
  ({
    id: `payment-${attempt}`,
    idempotencyKey: attemptKey(ID, attempt),
    subscriber: { phoneNumber: '+254700000001' },
  }) as Payment;

const succeeded = (attempt: number) =>
  ({
    payment: paymentOf(attempt),
    transaction: { reference: `REF${attempt}` },
    occurredAt: '2026-11-21T10:00:00.000Z',
  }) as PaymentsEvents['payment.succeeded'];

describe('OrdersListener', () => {
  let orders: MemoryOrdersRepository;
  let listener: OrdersListener;

  beforeEach(async () => {
    Logger.overrideLogger(false);
    orders = new MemoryOrdersRepository();
    listener = new OrdersListener(orders, new ShopFeed());
    await orders.add({
      id: ID,
      goodsId: 'coffee',
      goodsName: 'Coffee',
      price: { currency: 'KES', value: '650.00' },
      customer: 'Jane',
      phone: '0700000001',
      attempts: 1,
      placedAt: new Date(0),
      paid: null,
    });
  });

  it('packs an order once, however often it is told', async () => {
    await listener.packOrder(succeeded(1));
    const first = await orders.find(ID);
    await listener.packOrder({ ...succeeded(1), occurredAt: '2026-11-21T11:00:00.000Z' });
    expect(await orders.find(ID)).toEqual(first);
    expect(first?.paid).toMatchObject({ paymentId: 'payment-1', reference: 'REF1' });
  });

  it('learns of an attempt that nobody noted', async () => {
    await listener.noteFailure({
      payment: paymentOf(2),
      reason: 'cancelled',
    } as PaymentsEvents['payment.failed']);
    expect(await orders.find(ID)).toMatchObject({ attempts: 2 });
  });

  it('leaves payments alone that are none of the shop', async () => {
    const before = await orders.find(ID);
    const payment = { ...paymentOf(1), idempotencyKey: 'invoice-7' };
    await listener.packOrder({ ...succeeded(1), payment });
    await listener.stopOrder({ payment } as PaymentsEvents['payment.reversed']);
    await listener.callShopkeeper({ payment } as PaymentsEvents['payment.needs_review']);
    expect(await orders.find(ID)).toEqual(before);
  });
});
