import { afterEach, beforeEach } from '@jest/globals';
import type { PaymentsOptions } from '@tillkit/payments';
import { Merchant, type MerchantOptions } from './merchant.js';
import { ScriptedPlatform } from './scripted.platform.js';

interface Scripted {
  platform: ScriptedPlatform;
  /** Opens the merchant's application, which makes no background requests unless these options say so. */
  open: (payments?: PaymentsOptions, more?: Omit<MerchantOptions, 'payments'>) => Promise<Merchant>;
}

/** Returns a platform with a script and a merchant that talks to it, for each test. Both are closed after the test, the merchant first. */
export function scripted(): Scripted {
  const platform = new ScriptedPlatform();
  let merchant: Merchant;
  beforeEach(() => platform.start());
  afterEach(async () => {
    await merchant.close();
    await platform.close();
  });
  const open: Scripted['open'] = async (payments, more) => {
    merchant = await Merchant.open({ ...more, payments: { ...platform.settings, ...payments } });
    return merchant;
  };
  return { platform, open };
}
