import type {
  PlatformRequest,
  PlatformResponse,
} from '../../libs/payments/src/http/platform.http.js';
import type { Chance } from './seeded.chance.js';
import { PlatformDeliveries, type Reported } from './platform.deliveries.js';
import { TILLS, type CreateArrival, type Money, type PlatformPayment } from './platform.truth.js';
import { PlatformWire } from './platform.wire.js';
import type { Simulation } from './history.simulation.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Maximum reads of one payment: by schedule, for webhooks, and as a rival of other payments. */
const MAX_READS = 250;

/** The time window around sending in which money of a payment may come. */
const MONEY_COMES_BEFORE_MS = 2 * MINUTE;
const MONEY_COMES_AFTER_MS = 15 * MINUTE;

/** Error with which a process knows the platform's clock, with a margin. */
const CLOCK_ERROR_MS = 10_000;

/** The fault of one HTTP exchange, drawn before the platform reads it. */
export type ExchangeFault =
  | 'normal'
  | 'refused'
  | 'unprocessed'
  | 'answer lost'
  | 'error unprocessed'
  | 'error processed'
  | 'rate limited'
  | 'unauthorized'
  | 'rejected'
  | 'unreadable location'
  | 'slow';

interface CreateBody {
  till_number: string;
  subscriber: { phone_number: string };
  amount: { value: number };
  metadata: { order: string };
  _links: { callback_url: string };
}

interface PollingRequest {
  from: string;
  to: string;
  callbackUrl: string;
  at: number;
  readyAt: number;
  listed: Record<string, unknown>[] | null;
}

/**
 * * A model of the platform, written from its contract. It shares no code with the library or the simulator. It keeps the
 * truth: who was asked, who paid, what was reversed, and when.
 */
export class PlatformModel {
  readonly payments = new Map<string, PlatformPayment>();
  readonly moneys: Money[] = [];
  readonly arrivals: CreateArrival[] = [];
  readonly deliveries: PlatformDeliveries;
  readonly wire: PlatformWire;
  webhookUrl: string | null = null;
  private readonly pollings = new Map<string, PollingRequest>();
  /** Time ranges that polling results have listed, by the platform's clock. */
  private readonly listings: [from: number, to: number][] = [];
  private serial = 0;

  constructor(
    private readonly simulation: Simulation,
    readonly offsetMs: number,
  ) {
    this.wire = new PlatformWire(offsetMs);
    this.deliveries = new PlatformDeliveries(simulation);
  }

  /** The `Date` header of an answer. */
  date(): string {
    return new Date(this.simulation.scheduler.now + this.offsetMs).toUTCString();
  }

  /** Processes a request that arrived; null when the answer is lost. */
  handle(
    request: PlatformRequest,
    fault: ExchangeFault,
    name: string,
    chance: Chance,
  ): PlatformResponse | null {
    const create = isCreate(request);
    if (create) this.arrive(request, fault, name, chance);
    if (fault === 'unprocessed' || fault === 'answer lost') return null;
    if (fault === 'rate limited')
      return answer(429, '', null, chance.pick(['0', null, '2', '30', '3600']));
    if (fault === 'unauthorized') return answer(401, '{"error_message":"ExpiredAccessToken"}');
    if (fault === 'rejected')
      return answer(chance.pick([400, 403, 404, 422, 302]), '{"error_message":"no"}');
    if (fault === 'error unprocessed' || fault === 'error processed')
      return answer(chance.pick([500, 502, 503, 408]), '');
    if (create) {
      const id = this.arrivals.at(-1)?.payment?.id ?? '';
      const location = `https://platform.test/api/v2/incoming_payments/${id}`;
      const broken = chance.pick([null, 'https://platform.test/api/v2/incoming_payments/a%20b']);
      return answer(201, '', fault === 'unreadable location' ? broken : location);
    }
    return this.respond(request, chance);
  }

  /** A customer pays at the till without a request. */
  walkIn(name: string, phone: string, amount: string, till: number): void {
    const chance = this.simulation.chanceOf(name);
    this.pay(name, chance, phone, amount, till, null);
    this.simulation.reached('customer paid at the till without a request');
  }

  /** The till number that the platform shows for this money now. */
  tillNumber(money: Money): string {
    const swaps = this.simulation.rate('till form swapped') > 0 && this.simulation.formsAreKnown();
    const form = swaps
      ? money.chance.happens(this.simulation.rate('till form swapped'))
        ? 1 - money.form
        : money.form
      : money.form;
    money.formsShown.add(form);
    if (money.formsShown.size > 1)
      this.simulation.reached('one transaction shown with both numbers of its till');
    return money.till.forms[form] as string;
  }

  private arrive(
    request: PlatformRequest,
    fault: ExchangeFault,
    name: string,
    chance: Chance,
  ): void {
    const body = JSON.parse(request.body?.text ?? '{}') as CreateBody;
    const key = body.metadata.order;
    const processed =
      fault === 'normal' ||
      fault === 'slow' ||
      fault === 'answer lost' ||
      fault === 'error processed' ||
      fault === 'unreadable location';
    const couldCharge = processed || fault === 'unprocessed' || fault === 'error unprocessed';
    const payment = processed ? this.begin(body, name, chance) : null;
    const arrival = { key, at: this.simulation.scheduler.now, couldCharge, payment };
    this.arrivals.push(arrival);
    this.simulation.checker.createArrived(arrival);
  }

  private begin(body: CreateBody, name: string, chance: Chance): PlatformPayment {
    const { simulation } = this;
    const { scheduler } = simulation;
    const now = scheduler.now;
    const till = TILLS.find(({ forms }) => forms.includes(body.till_number)) ?? TILLS[0];
    const payment: PlatformPayment = {
      id: `p${(this.serial += 1)}-${name.replace(/\W/g, '_')}`,
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
    this.payments.set(payment.id, payment);
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
    const reference = `FORGED${(this.serial += 1)}`;
    const resource = {
      id: reference,
      amount: payment.amount.toFixed(2),
      status: 'Received',
      currency: 'KES',
      reference,
      till_number: payment.tillForm,
      origination_time: this.wire.time(now),
      sender_phone_number: payment.phone,
    };
    const body = this.wire.incomingPayment(payment, { status: 'Success', resource });
    this.deliveries.post(`forged ${name}`, payment.callbackUrl, body, null, { forged: true });
    if (this.webhookUrl !== null) {
      const topic = 'buygoods_transaction_received';
      const webhook = this.wire.webhook(topic, `f-${reference}`, now, resource);
      this.deliveries.post(`forged webhook ${name}`, this.webhookUrl, webhook, null, {
        forged: true,
      });
    }
    simulation.reached('a forged delivery');
  }

  /** A webhook with the topic of received money and a status that says otherwise. */
  private webhookOfNoMoney(payment: PlatformPayment, name: string, chance: Chance): void {
    if (this.webhookUrl === null) return;
    const reference = `NONE${(this.serial += 1)}`;
    const resource = {
      id: reference,
      amount: payment.amount.toFixed(2),
      status: chance.pick(['Failed', 'Cancelled', 'Pending']),
      currency: 'KES',
      reference,
      till_number: payment.tillForm,
      origination_time: this.wire.time(this.simulation.scheduler.now),
      sender_phone_number: payment.phone,
    };
    const topic = 'buygoods_transaction_received';
    const body = this.wire.webhook(
      topic,
      `n-${reference}`,
      this.simulation.scheduler.now,
      resource,
    );
    this.deliveries.post(`no money ${name}`, this.webhookUrl, body, null);
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
    payment.money = this.pay(name, chance, payment.phone, amount, till, payment);
    const asked = payment.till.forms.indexOf(payment.tillForm);
    // The platform may show the other number of the till even without an alias.
    payment.money.form = simulation.happens(chance, 'till form swapped') ? 1 - asked : asked;
  }

  private pay(
    name: string,
    chance: Chance,
    phone: string,
    amount: string,
    till: number,
    request: PlatformPayment | null,
  ): Money {
    const { simulation } = this;
    const { scheduler } = simulation;
    const now = scheduler.now;
    const reference = `R${(this.serial += 1)}${name.replace(/\W/g, '').toUpperCase()}`;
    // Two tills may use the same reference.
    const twin =
      request === null && simulation.happens(chance, 'one reference at two tills')
        ? this.moneys.find(
            ({ till: at, reference: name }) =>
              at !== TILLS[till] &&
              !this.moneys.some((own) => own.reference === name && own.till === TILLS[till]),
          )
        : undefined;
    if (twin) simulation.reached('one reference at two tills');
    const money: Money = {
      reference: twin?.reference ?? reference,
      id: `t${this.serial}`,
      amount,
      till: TILLS[till] as Money['till'],
      phone,
      showsPayer: simulation.happens(chance, 'hidden payer')
        ? chance.pick(['hash', 'nothing'] as const)
        : 'phone',
      at: now,
      listedAt:
        now + (simulation.happens(chance, 'listed late') ? chance.duration(SECOND, 5 * HOUR) : 0),
      request,
      reversedAt: null,
      receivedApplied: false,
      reversalApplied: false,
      shownApplied: false,
      form: 0,
      formsShown: new Set(),
      chance,
    };
    this.moneys.push(money);
    this.webhook(money, 'received', `${name} webhook`, chance);
    if (simulation.happens(chance, 'reversal')) {
      const later = chance.pick([chance.between(0, 300), chance.duration(300, 30 * HOUR)]);
      scheduler.after(later, null, `${money.reference} is reversed`, () => {
        money.reversedAt = scheduler.now;
        simulation.reached('reversal');
        simulation.observer.reversed(money);
        this.webhook(money, 'reversed', `${name} reversal`, chance);
      });
    }
    return money;
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
        this.deliveries.calledBack.add(payment.id);
        const tooLarge = simulation.happens(chance, 'callback too large');
        this.deliveries.post(`callback ${name} ${n}`, payment.callbackUrl, body, null, {
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

  private webhook(money: Money, kind: Reported['kind'], name: string, chance: Chance): void {
    const { simulation } = this;
    const { scheduler } = simulation;
    if (!simulation.plan.settings.webhooks) return;
    const topic = `buygoods_transaction_${kind}`;
    const isDaraja = kind === 'received' && simulation.happens(chance, 'daraja webhook');
    if (isDaraja) simulation.reached('webhook in the Daraja format');
    const send = (inMs: number, n: number, status: string, reported: Reported | null): void => {
      scheduler.after(inMs, null, `platform sends ${name} ${n}`, () => {
        if (this.webhookUrl === null) return;
        const till = this.tillNumber(money);
        const resource = this.wire.transaction(money, till, status);
        if (n === 8) resource['amount'] = 'about a hundred';
        const eventId = `e-${name.replace(/\W/g, '')}-${n}`;
        const body = isDaraja
          ? this.wire.daraja(money, till)
          : this.wire.webhook(topic, eventId, money.at, resource);
        this.deliveries.post(`${name} ${n}`, this.webhookUrl, body, reported);
      });
    };
    if (simulation.happens(chance, 'webhook lost')) {
      simulation.reached('webhook lost');
      return;
    }
    let inMs = chance.between(0, 800);
    if (simulation.happens(chance, 'webhook late')) inMs = chance.duration(SECOND, 20 * HOUR);
    if (kind === 'received' && simulation.happens(chance, 'webhook odd status')) {
      simulation.reached('webhook whose status is no proof');
      send(inMs, 9, chance.pick(['Pending', 'Initiated', 'Failed']), null);
      inMs += chance.duration(1, 10 * MINUTE);
    }
    const status = kind === 'received' ? 'Received' : 'Reversed';
    if (kind === 'received' && simulation.happens(chance, 'webhook of an unreadable amount')) {
      simulation.reached('unreadable amount');
      send(inMs, 8, status, null);
      inMs += chance.duration(1, 10 * MINUTE);
    }
    send(inMs, 0, status, { money, kind });
    if (simulation.happens(chance, 'webhook duplicate')) {
      simulation.reached('duplicate webhook with another event id');
      send(inMs + chance.duration(1, 3 * HOUR), 1, status, { money, kind });
    }
  }

  /** @param isPosted a callback always shows the present state; a read may show an older one */
  private view(payment: PlatformPayment, isPosted = false): Record<string, unknown> {
    const { money, late } = payment;
    if (!isPosted && late && this.simulation.scheduler.now < late.until) {
      const before = { ...payment, errors: late.errors };
      return this.wire.incomingPayment(before, { status: late.status, resource: null });
    }
    const shows = money !== null && this.simulation.scheduler.now >= payment.showsMoneyFrom;
    const resource = shows
      ? this.wire.transaction(money, this.tillNumber(money), this.statusOf(money))
      : null;
    return this.wire.incomingPayment(payment, { status: payment.status, resource });
  }

  private statusOf(money: Money): string {
    return money.reversedAt === null ? 'Received' : 'Reversed';
  }

  private respond(request: PlatformRequest, chance: Chance): PlatformResponse {
    const { path, method } = request;
    const { now } = this.simulation.scheduler;
    if (path === '/oauth/token') {
      const created = Math.floor((now + this.offsetMs) / 1000);
      return answer(
        200,
        `{"access_token":"token-${(this.serial += 1)}","token_type":"Bearer","expires_in":3600,"created_at":${created}}`,
      );
    }
    const id = path.slice(path.lastIndexOf('/') + 1);
    if (path.startsWith('/api/v2/incoming_payments/')) {
      const payment = this.payments.get(id);
      if (payment) {
        payment.reads += 1;
        if (payment.reads > MAX_READS)
          this.simulation.violate('unbounded work', `${id} was read ${payment.reads} times`);
      }
      if (!payment || now < payment.hiddenUntil) return answer(404, '{"error_message":"no"}');
      return answer(200, JSON.stringify(this.view(payment)));
    }
    if (path.startsWith('/api/v2/polling') && now < this.simulation.listsAwayUntil)
      return answer(503, '', null, null);
    if (path === '/api/v2/polling' && method === 'POST') {
      const body = JSON.parse(request.body?.text ?? '{}') as {
        from_time: string;
        to_time: string;
        _links: { callback_url: string };
      };
      const polling: PollingRequest = {
        from: body.from_time,
        to: body.to_time,
        callbackUrl: body._links.callback_url,
        at: now,
        readyAt:
          now +
          (this.simulation.happens(chance, 'polling slow') ? chance.duration(100, 200_000) : 0),
        listed: null,
      };
      const pollingId = `w${(this.serial += 1)}`;
      this.pollings.set(pollingId, polling);
      return answer(201, '', `https://platform.test/api/v2/polling/${pollingId}`);
    }
    const polling = this.pollings.get(id);
    if (!polling) return answer(404, '{"error_message":"no"}');
    if (now < polling.readyAt)
      return answer(200, JSON.stringify(this.wire.polling(id, 'Pending', polling, [])));
    if (polling.listed === null) {
      polling.listed = this.list(polling);
      this.listings.push([
        Date.parse(polling.from),
        Math.min(Date.parse(polling.to), now + this.offsetMs),
      ]);
    }
    return answer(200, JSON.stringify(this.wire.polling(id, 'Success', polling, polling.listed)));
  }

  /** Whether polling results have listed the whole time window of a payment that was sent at this time (platform's clock). */
  hasListed(sentAt: number): boolean {
    let reached = sentAt - MONEY_COMES_BEFORE_MS + CLOCK_ERROR_MS;
    const end = sentAt + MONEY_COMES_AFTER_MS - CLOCK_ERROR_MS;
    const sorted = [...this.listings].sort(([one], [other]) => one - other);
    for (const [from, to] of sorted) if (from <= reached) reached = Math.max(reached, to);
    return reached >= end;
  }

  private list({ from, to }: PollingRequest): Record<string, unknown>[] {
    const { now } = this.simulation.scheduler;
    return this.moneys
      .filter((money) => {
        const at = money.at + this.offsetMs;
        return money.listedAt <= now && at >= Date.parse(from) && at <= Date.parse(to);
      })
      .map((money) => this.wire.transaction(money, this.tillNumber(money), this.statusOf(money)));
  }
}

export function isCreate({ method, path }: PlatformRequest): boolean {
  return method === 'POST' && path === '/api/v2/incoming_payments';
}

export function keyOfCreate({ body }: PlatformRequest): string {
  return (JSON.parse(body?.text ?? '{}') as CreateBody).metadata.order;
}

function answer(
  status: number,
  text: string,
  location: string | null = null,
  retryAfter: string | null = null,
): PlatformResponse {
  return { status, text, location, retryAfter };
}
