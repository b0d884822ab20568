import type { PaymentsOptions } from '@tillkit/payments';
import type { ShopDatabase } from './storage/shop.database.js';
import type { PracticePlatform } from './practice/practice.platform.js';

/** With what platform the shop works. Also an injection token. */
export class ShopSetup {
  constructor(
    /** The simulated platform in this process; null when the shop talks to a real one. */
    readonly practice: PracticePlatform | null,
    /** Where orders and payments are kept; null: in this process. */
    readonly database: ShopDatabase | null,
    /** What is not to be read from `PAYMENTS_*`. */
    readonly payments: PaymentsOptions,
  ) {}
}
