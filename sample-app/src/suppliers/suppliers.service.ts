import { Injectable } from '@nestjs/common';
import { PayoutsService, type Payout } from '@tillkit/payments';
import { ShopDatabase } from '../database/shop-database.js';
import type { PayoutForm } from './payout.form.js';

export interface SupplierPayout {
  readonly supplier: string;
  readonly payout: Payout;
}

interface PayoutRow {
  id: string;
  supplier: string;
}

/** Pays suppliers from the till. */
@Injectable()
export class SuppliersService {
  constructor(
    private readonly payouts: PayoutsService,
    private readonly database: ShopDatabase,
  ) {}

  /**
   * Pays a supplier, once for each form. The library sends the payout after the commit, or after somebody has approved it.
   * @throws PaymentsValidationError, PayoutInFlightError, PayoutLimitError, IdempotencyConflictError; then nothing is stored
   */
  async pay({ ticket, supplier, phone, amount, by }: PayoutForm): Promise<void> {
    await this.database.transaction(async (transaction) => {
      const { id } = await this.payouts.record(
        {
          idempotencyKey: `supplier-${ticket}`,
          currency: 'KES',
          destinations: [
            {
              type: 'mobile_wallet',
              phoneNumber: phone,
              network: 'Safaricom',
              amount,
              description: 'Goods for the shop',
              nickname: supplier,
            },
          ],
          requestedBy: by,
        },
        { transaction },
      );
      await transaction.query(
        'insert into shop.payouts (id, supplier) values ($1, $2) on conflict (id) do nothing',
        [id, supplier],
      );
    });
  }

  /** Returns the latest payouts, newest first. */
  async latest(limit: number): Promise<SupplierPayout[]> {
    const rows = await this.database.query<PayoutRow>(
      'select id, supplier from shop.payouts order by sequence desc limit $1',
      [limit],
    );
    const found = await Promise.all(rows.map((row) => this.withPayout(row)));
    return found.filter((one) => one !== null);
  }

  async find(id: string): Promise<SupplierPayout | null> {
    const [row] = await this.database.query<PayoutRow>(
      'select id, supplier from shop.payouts where id = $1',
      [id],
    );
    return row ? this.withPayout(row) : null;
  }

  /** @throws PayoutNotApprovableError, PaymentsValidationError when there is no name; then nothing has changed */
  async decide({ payout }: SupplierPayout, isApproved: boolean, by: string): Promise<void> {
    if (isApproved) await this.payouts.approve(payout.id, { by });
    else await this.payouts.decline(payout.id, { by, note: 'declined in the shop' });
  }

  private async withPayout({ id, supplier }: PayoutRow): Promise<SupplierPayout | null> {
    const payout = await this.payouts.find(id);
    return payout && { supplier, payout };
  }
}
