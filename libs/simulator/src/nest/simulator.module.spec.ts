import { Injectable, Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { describe, expect, it } from '@jest/globals';
import { Simulator } from '../simulator.js';
import { SimulatorModule } from './simulator.module.js';

@Injectable()
class Shop {
  constructor(readonly simulator: Simulator) {}
}

@Module({ providers: [Shop] })
class ShopModule {}

describe('SimulatorModule', () => {
  it.each([
    ['forRoot', () => SimulatorModule.forRoot({ clientId: 'shop' })],
    [
      'forRootAsync',
      () => SimulatorModule.forRootAsync({ useFactory: () => ({ clientId: 'shop' }) }),
    ],
  ])(
    'starts and stops with the application and can be injected everywhere by %s',
    async (_, module) => {
      const application = await Test.createTestingModule({
        imports: [module(), ShopModule],
      }).compile();
      await application.init();
      const { simulator } = application.get(Shop, { strict: false });
      expect(simulator.clientId).toBe('shop');
      expect((await fetch(`${simulator.url}/oauth/token/info`)).status).toBe(401);
      await application.close();
      await expect(fetch(`${simulator.url}/oauth/token/info`)).rejects.toThrow('fetch failed');
    },
  );

  it('starts two simulators that share no state', async () => {
    const start = () =>
      Test.createTestingModule({ imports: [SimulatorModule.forRoot({})] }).compile();
    const [one, other] = [await start(), await start()];
    expect(one.get(Simulator).url).not.toBe(other.get(Simulator).url);
    await Promise.all([one.close(), other.close()]);
  });
});
