import type { PlatformResponse } from '../../libs/payments/src/platform/http/platform-answer.js';
import { answer, notFound, type AnyCreate, type Creation } from './platform.exchange.js';
import { CHANGES_ITS_MIND_MS, PlatformResources } from './platform.resources.js';
import { PHONES, TILLS, type PlatformLink } from './platform.truth.js';
import type { Chance } from './seeded.chance.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

interface CreateBody extends AnyCreate {
  till_number: string;
  amount: number;
}

/** Links at which anybody can pay once, until they expire or the merchant cancels them. */
export class PlatformLinks extends PlatformResources<PlatformLink> {
  protected readonly type = 'payment_link';
  protected readonly path = '/api/v2/payment_links';

  create(body: CreateBody, name: string, chance: Chance): Creation {
    const { simulation } = this;
    const { now } = simulation.scheduler;
    const till = TILLS.find(({ forms }) => forms.includes(body.till_number)) ?? TILLS[0];
    const openMs = chance.pick([HOUR, HOUR, 6 * HOUR, 7 * DAY]);
    const link: PlatformLink = {
      ...this.begin(body, name, chance),
      till: till as PlatformLink['till'],
      tillForm: body.till_number,
      amount: body.amount,
      // This is often the customer who also gets payment requests.
      phone: chance.happens(0.6) ? PHONES[0] : chance.pick(PHONES),
      expiresAt: now + openMs,
      status: 'Active',
      money: null,
    };
    this.all.set(link.id, link);
    this.show(link, `${name} active`, { calls: chance.happens(0.2) });
    this.forge(link, name, {
      payment_link: { status: 'Paid', transaction_reference: 'FORGED' },
    });
    simulation.scheduler.after(openMs, null, `${link.id} expires`, () => {
      if (link.status === 'Active') this.end(link, 'Expired', name);
    });
    if (!simulation.happens(chance, 'link unpaid')) {
      const inMs = chance.pick([
        chance.duration(500, 60_000),
        chance.duration(500, 600_000),
        chance.below(openMs),
      ]);
      simulation.scheduler.after(inMs, null, `somebody pays ${link.id}`, () => {
        if (link.status === 'Active') this.pay(link, name);
      });
    }
    return link;
  }

  /** The merchant cancels a link. A paid one stays paid. */
  cancel(id: string): PlatformResponse {
    const link = this.all.get(id);
    if (!link) return notFound();
    if (link.status === 'Paid') {
      this.simulation.reached('paid link cancelled');
      return answer(400, '{"error_message":"The link is paid"}');
    }
    if (link.status === 'Active') this.end(link, 'Cancelled', `cancel ${id}`);
    return answer(200, '{"message":"Payment link cancelled."}');
  }

  protected attributesOf({
    till: _,
    tillForm,
    amount,
    expiresAt,
    status,
    money,
    id,
    chance,
  }: PlatformLink) {
    const link = { expires_at: this.platform.wire.time(expiresAt), link: `/links/${id}` };
    const word = status === 'Active' ? chance.pick(['Active', 'active']) : status;
    return {
      status: 'Processed',
      till_name: 'Shop',
      till_number: tillForm,
      currency: 'KES',
      amount: chance.pick([amount, `${amount}.0`]),
      payment_link:
        status === 'Paid' && money
          ? {
              ...link,
              status: word,
              transaction_reference: money.reference,
              sender_phone_number: money.phone,
              origination_time: this.platform.wire.time(money.at),
            }
          : { ...link, payment_link_status: word },
      errors: null,
    };
  }

  /** The platform posts no callback for a link that nobody paid. A customer may be paying at this moment. */
  private end(link: PlatformLink, status: 'Expired' | 'Cancelled', name: string): void {
    const { simulation } = this;
    link.status = status;
    this.show(link, `${name} ${status}`, { calls: false });
    if (!simulation.happens(link.chance, 'link paid after its end')) return;
    const inMs = link.chance.pick([
      link.chance.between(0, 300),
      link.chance.duration(5, CHANGES_ITS_MIND_MS),
    ]);
    simulation.scheduler.after(inMs, null, `${link.id} is paid after all`, () => {
      link.consistent = false;
      simulation.reached(`link paid while ${status}`);
      this.pay(link, `${name} after all`);
    });
  }

  private pay(link: PlatformLink, name: string): void {
    const { chance, phone, amount, till } = link;
    const place = TILLS.indexOf(till);
    // The link still shows the requested amount. Only the till shows the amount that came.
    const isOther = this.simulation.happens(chance, 'link of another amount');
    if (isOther) {
      link.consistent = false;
      this.simulation.reached('link paid with another amount');
    }
    const paid = `${isOther ? amount - 1 : amount}.0`;
    link.money = this.platform.tills.pay(`${name} link`, chance, phone, paid, place, { link });
    link.money.form = till.forms.indexOf(link.tillForm);
    link.status = 'Paid';
    this.simulation.reached('link paid');
    this.show(link, `${name} paid`);
  }
}
