import type { PlatformResponse } from '../../libs/payments/src/platform/http/platform-answer.js';
import { answer, notFound, type AnyCreate } from './platform.exchange.js';
import type { PlatformModel } from './platform.model.js';
import { TILLS, type PlatformPayment } from './platform.truth.js';
import type { Chance } from './seeded.chance.js';
import type { Simulation } from './history.simulation.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Maximum reads of one payment: by schedule, for webhooks, and as a possible owner of the money of other payments. */
const MAX_READS = 250;

interface CreateBody extends AnyCreate {
  till_number: string;
  subscriber: { phone_number: string };
  amount: { value: number };
}

/** Payment requests: the customer is prompted, and pays or not. */
export class PlatformPayments {
  readonly all = new Map<string, PlatformPayment>();

  constructor(
    private readonly simulation: Simulation,
    private readonly platform: PlatformModel,
  ) {}

  begin(body: CreateBody, name: string, chance: Chance): PlatformPayment {
    const { simulation } = this;
    const { scheduler } = simulation;
    const now = scheduler.now;
    const till = TILLS.find(({ forms }) => forms.includes(body.till_number)) ?? TILLS[0];
    const payment: PlatformPayment = {
      id: `p${this.platform.nextSerial('payment')}-${name.replace(/\W/g, '_')}`,
      key: body.metadata.order,
      callbackUrl: body._links.callback_url,
      metadata: body.metadata,
      amount: body.amount.value,
      till: till as PlatformPayment['till'],
      tillForm: body.till_number,
      phone: body.subscriber.phone_number,
      createdAt: now,
      status: 'Pending',
      errors: null,
      money: null,
      showsMoneyFrom: 0,
      late: null,
      resultApplied: false,
      hiddenUntil: simulation.happens(chance, 'not found for a while')
        ? now + chance.duration(SECOND, 9 * MINUTE)
        : 0,
      consistent: true,
      reads: 0,
      chance,
    };
    this.all.set(payment.id, payment);
    const decidesIn = chance.pick([
      chance.between(1, 60),
      chance.between(500, 20_000),
      chance.between(20_000, 75_000),
    ]);
    if (simulation.happens(chance, 'customer never decides')) return payment;
    scheduler.after(decidesIn, null, `customer of ${payment.id} decides`, () =>
      this.decide(payment, name, chance),
    );
    return payment;
  }

  private decide(payment: PlatformPayment, name: string, chance: Chance): void {
    const { simulation } = this;
    if (simulation.happens(chance, 'odd status')) {
      payment.status = chance.pick(['Processing', 'Received', 'Accepted', 'Pending Review']);
      simulation.reached('unknown status');
      this.callback(payment, `${name} odd`, chance);
      const { scheduler } = simulation;
      scheduler.after(chance.duration(10, 60_000), null, `${payment.id} goes on`, () =>
        this.conclude(payment, name, chance),
      );
      return;
    }
    this.conclude(payment, name, chance);
  }

  private conclude(payment: PlatformPayment, name: string, chance: Chance): void {
    const { simulation } = this;
    const { scheduler } = simulation;
    if (simulation.plan.settings.verification === 'url' && simulation.happens(chance, 'forged'))
      this.forge(payment, name);
    const fail = (): void => {
      if (simulation.happens(chance, 'webhook of no money'))
        this.webhookOfNoMoney(payment, name, chance);
      this.readLate(payment, chance);
      payment.status = 'Failed';
      payment.errors = [
        chance.pick([
          'The initiator information is invalid.',
          'Request cancelled by user',
          'The balance is insufficient for the transaction',
          'DS timeout user cannot be reached',
        ]),
      ];
      this.callback(payment, `${name} failed`, chance);
    };
    if (simulation.happens(chance, 'paid after failed')) {
      fail();
      simulation.reached('paid after failed');
      const later = chance.duration(5, 9 * MINUTE);
      scheduler.after(later, null, `customer of ${payment.id} pays after all`, () => {
        payment.consistent = false;
        this.succeed(payment, name, chance);
      });
      return;
    }
    if (simulation.happens(chance, 'customer fails')) {
      fail();
      return;
    }
    if (simulation.happens(chance, 'failed with transaction')) {
      this.chargeMoney(payment, name, chance);
      payment.consistent = false;
      payment.status = 'Failed';
      payment.errors = ['Something failed'];
      simulation.reached('Failed with a transaction');
      this.callback(payment, `${name} contradiction`, chance);
      return;
    }
    this.succeed(payment, name, chance);
  }

  private succeed(payment: PlatformPayment, name: string, chance: Chance): void {
    const { simulation } = this;
    const { scheduler } = simulation;
    this.readLate(payment, chance);
    this.chargeMoney(payment, name, chance);
    payment.status = 'Success';
    payment.errors = null;
    if (simulation.happens(chance, 'second transaction')) {
      const later = chance.duration(1_000, HOUR);
      for (let n = 1; n <= chance.between(1, 2); n += 1)
        scheduler.after(n * later, null, `${payment.id} shows other money`, () =>
          this.showOther(payment, `${name} other ${n}`, chance),
        );
    }
    if (simulation.happens(chance, 'success with errors')) {
      payment.errors = ['A later step failed'];
      payment.consistent = false;
      simulation.reached('Success with errors');
    }
    if (simulation.happens(chance, 'empty success')) {
      const emptyMs = chance.duration(10, 5 * MINUTE);
      payment.showsMoneyFrom = scheduler.now + emptyMs;
      simulation.reached('Success without a transaction');
      if (chance.happens(0.5)) {
        scheduler.after(emptyMs + 1, null, `${payment.id} shows its transaction`, () =>
          this.callback(payment, `${name} whole`, chance),
        );
      }
    }
    this.callback(payment, `${name} success`, chance);
  }

  /** Shows another transaction for the same request: the customer paid again, or the platform is wrong. */
  private showOther(payment: PlatformPayment, name: string, chance: Chance): void {
    if (payment.status !== 'Success') return;
    payment.consistent = false;
    this.chargeMoney(payment, name, chance);
    this.simulation.reached('a second transaction for one payment');
    this.callback(payment, name, chance);
  }

  /** Reads show an older state for a while. */
  private readLate(payment: PlatformPayment, chance: Chance): void {
    const { simulation } = this;
    if (!simulation.happens(chance, 'read late')) return;
    const until = simulation.scheduler.now + chance.duration(500, 50_000);
    payment.late = { until, status: payment.status, errors: payment.errors };
    simulation.reached('stale read');
  }

  /** An attacker who knows the signed URLs posts a forged success. */
  private forge(payment: PlatformPayment, name: string): void {
    const { simulation } = this;
    const { now } = simulation.scheduler;
    const reference = `FORGED${this.platform.nextSerial('forged')}`;
    const resource = {
      id: reference,
      amount: payment.amount.toFixed(2),
      status: 'Received',
      currency: 'KES',
      reference,
      till_number: payment.tillForm,
      origination_time: this.platform.wire.time(now),
      sender_phone_number: payment.phone,
    };
    const body = this.platform.wire.incomingPayment(payment, { status: 'Success', resource });
    this.platform.deliveries.post(`forged ${name}`, payment.callbackUrl, body, null, {
      forged: true,
    });
    if (this.platform.webhookUrl !== null) {
      const topic = 'buygoods_transaction_received';
      const webhook = this.platform.wire.webhook(topic, `f-${reference}`, now, resource);
      this.platform.deliveries.post(
        `forged webhook ${name}`,
        this.platform.webhookUrl,
        webhook,
        null,
        {
          forged: true,
        },
      );
    }
    simulation.reached('a forged delivery');
  }

  /** A webhook with the topic of received money and a status that says otherwise. */
  private webhookOfNoMoney(payment: PlatformPayment, name: string, chance: Chance): void {
    if (this.platform.webhookUrl === null) return;
    const reference = `NONE${this.platform.nextSerial('none')}`;
    const resource = {
      id: reference,
      amount: payment.amount.toFixed(2),
      status: chance.pick(['Failed', 'Cancelled', 'Pending']),
      currency: 'KES',
      reference,
      till_number: payment.tillForm,
      origination_time: this.platform.wire.time(this.simulation.scheduler.now),
      sender_phone_number: payment.phone,
    };
    const topic = 'buygoods_transaction_received';
    const body = this.platform.wire.webhook(
      topic,
      `n-${reference}`,
      this.simulation.scheduler.now,
      resource,
    );
    this.platform.deliveries.post(`no money ${name}`, this.platform.webhookUrl, body, null);
    this.simulation.reached('webhook about money that was not received');
  }

  private chargeMoney(payment: PlatformPayment, name: string, chance: Chance): void {
    const { simulation } = this;
    let amount = chance.pick([`${payment.amount}.0`, payment.amount.toFixed(2)]);
    if (simulation.happens(chance, 'wrong amount')) {
      amount = `${payment.amount - 1}.0`;
      payment.consistent = false;
      simulation.reached('customer paid another amount');
    }
    let till = TILLS.indexOf(payment.till);
    if (simulation.happens(chance, 'wrong till')) {
      till = 1 - till;
      payment.consistent = false;
      simulation.reached('customer paid at another till');
    }
    payment.money = this.platform.tills.pay(name, chance, payment.phone, amount, till, {
      request: payment,
    });
    const asked = payment.till.forms.indexOf(payment.tillForm);
    // The platform may show the other number of the till even without an alias.
    payment.money.form = simulation.happens(chance, 'till form swapped') ? 1 - asked : asked;
  }

  private callback(payment: PlatformPayment, name: string, chance: Chance): void {
    const { simulation } = this;
    const { scheduler } = simulation;
    if (simulation.happens(chance, 'callback lost')) {
      simulation.reached('callback lost');
      return;
    }
    let inMs = chance.between(0, 800);
    if (simulation.happens(chance, 'callback late')) inMs = chance.duration(SECOND, 20 * HOUR);
    const times = simulation.happens(chance, 'callback twice') ? 2 : 1;
    const body = this.view(payment, true);
    const isFinal = payment.status === 'Success' || payment.status === 'Failed';
    const shown =
      payment.status === 'Success' && scheduler.now >= payment.showsMoneyFrom
        ? payment.money
        : null;
    for (let n = 0; n < times; n += 1) {
      scheduler.after(inMs, null, `platform calls back ${name}`, () => {
        if (!simulation.answered.has(payment.id))
          simulation.reached('callback before the answer to the create');
        if (payment.money && !payment.money.receivedApplied)
          simulation.reached('callback before webhook');
        this.platform.deliveries.calledBack.add(payment.id);
        const tooLarge = simulation.happens(chance, 'callback too large');
        this.platform.deliveries.post(`callback ${name} ${n}`, payment.callbackUrl, body, null, {
          tooLarge,
          applied: () => {
            if (shown) shown.shownApplied = true;
            if (isFinal) payment.resultApplied = true;
          },
        });
      });
      inMs += chance.duration(1, HOUR);
    }
  }

  /** @param isPosted a callback always shows the present state; a read may show an older one */
  private view(payment: PlatformPayment, isPosted = false): Record<string, unknown> {
    const { money, late } = payment;
    if (!isPosted && late && this.simulation.scheduler.now < late.until) {
      const before = { ...payment, errors: late.errors };
      return this.platform.wire.incomingPayment(before, { status: late.status, resource: null });
    }
    const shows = money !== null && this.simulation.scheduler.now >= payment.showsMoneyFrom;
    const resource = shows
      ? this.platform.wire.transaction(
          money,
          this.platform.tills.tillNumber(money),
          this.platform.tills.statusOf(money),
        )
      : null;
    return this.platform.wire.incomingPayment(payment, { status: payment.status, resource });
  }

  read(id: string): PlatformResponse {
    const payment = this.all.get(id);
    if (payment) {
      payment.reads += 1;
      if (payment.reads > MAX_READS)
        this.simulation.violate('unbounded work', `${id} was read ${payment.reads} times`);
    }
    if (!payment || this.simulation.scheduler.now < payment.hiddenUntil) return notFound();
    return answer(200, JSON.stringify(this.view(payment)));
  }
}
