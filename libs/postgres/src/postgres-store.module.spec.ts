import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { PaymentsStore } from '@tillkit/payments/internal/store';
import { freshDatabase, type TestDatabase } from '../../../test/contracts/test-database.js';
import { PostgresStoreModule } from './postgres-store.module.js';
import { PostgresStore } from './postgres.store.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(() => database.drop());

const ways = [
  ['forRoot', () => PostgresStoreModule.forRoot({ connectionString: database.url })],
  [
    'forRootAsync',
    () =>
      PostgresStoreModule.forRootAsync({
        useFactory: async () => ({ connectionString: database.url }),
      }),
  ],
] as const;

describe.each(ways)('PostgresStoreModule.%s', (_, imported) => {
  it('provides its store to every module, and closes it when the application ends', async () => {
    const seen: PaymentsStore[] = [];
    @Module({
      providers: [
        {
          provide: 'USER',
          useFactory: (store: PaymentsStore) => seen.push(store),
          inject: [PaymentsStore],
        },
      ],
    })
    class ShopModule {}
    const module = await Test.createTestingModule({ imports: [imported(), ShopModule] }).compile();
    await module.init();
    const store = module.get(PaymentsStore);
    expect(store).toBeInstanceOf(PostgresStore);
    expect(seen).toEqual([store]);
    expect(await store.anomalies.list('default')).toEqual([]);
    await module.close();
    await expect(store.anomalies.list('default')).rejects.toThrow('it was closed');
  });
});

describe('PostgresStoreModule.forRoot without options', () => {
  it('reads PAYMENTS_DATABASE_URL, and names it in the error when it is missing', async () => {
    const before = process.env['PAYMENTS_DATABASE_URL'];
    try {
      delete process.env['PAYMENTS_DATABASE_URL'];
      const compile = () =>
        Test.createTestingModule({ imports: [PostgresStoreModule.forRoot()] }).compile();
      await expect(compile()).rejects.toThrow(/PAYMENTS_DATABASE_URL/);
      process.env['PAYMENTS_DATABASE_URL'] = database.url;
      const module = await compile();
      expect(await module.get(PaymentsStore).anomalies.list('default')).toEqual([]);
      await module.close();
    } finally {
      if (before === undefined) delete process.env['PAYMENTS_DATABASE_URL'];
      else process.env['PAYMENTS_DATABASE_URL'] = before;
    }
  });
});
