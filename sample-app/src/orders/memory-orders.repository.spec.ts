import { beforeEach, describe, expect, it } from '@jest/globals';
import { MemoryOrdersRepository } from './memory-orders.repository.js';
import type { Order } from './order.js';

const ORDER: Order = {
  id: 'a'.repeat(32),
  goodsId: 'coffee',
  goodsName: 'Coffee',
  price: { currency: 'KES', value: '650.00' },
  customer: 'Jane',
  phone: '0700000001',
  attempts: 1,
  placedAt: new Date(0),
  paid: null,
};

describe('MemoryOrdersRepository', () => {
  let orders: MemoryOrdersRepository;

  beforeEach(async () => {
    orders = new MemoryOrdersRepository();
    await orders.add(ORDER);
  });

  it('keeps the first of two orders with one id', async () => {
    await orders.add({ ...ORDER, customer: 'Joe' });
    expect(await orders.find(ORDER.id)).toEqual(ORDER);
  });

  it('notes newer attempts only', async () => {
    await orders.beginAttempt(ORDER.id, 2, '0700000006');
    await orders.beginAttempt(ORDER.id, 2, '0700000007');
    await orders.beginAttempt(ORDER.id, 1, '0700000008');
    expect(await orders.find(ORDER.id)).toMatchObject({ attempts: 2, phone: '0700000006' });
  });

  it('notes the first payment only', async () => {
    const paid = { paymentId: '1', reference: 'R1', at: new Date(1) };
    expect(await orders.markPaid(ORDER.id, paid)).toBe(true);
    expect(await orders.markPaid(ORDER.id, { ...paid, paymentId: '2' })).toBe(false);
    expect(await orders.find(ORDER.id)).toMatchObject({ paid });
  });

  it('knows nothing of orders that it was not given', async () => {
    await orders.remove(ORDER.id);
    await orders.beginAttempt(ORDER.id, 2, '0700000001');
    expect(
      await orders.markPaid(ORDER.id, { paymentId: '1', reference: null, at: new Date() }),
    ).toBe(false);
    expect(await orders.find(ORDER.id)).toBeNull();
  });
});
