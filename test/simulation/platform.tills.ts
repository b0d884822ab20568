import type {
  PlatformRequest,
  PlatformResponse,
} from '../../libs/payments/src/platform/http/platform-answer.js';
import { answer, bodyOf, notFound } from './platform.exchange.js';
import type { Reported } from './platform.deliveries.js';
import type { PlatformModel } from './platform.model.js';
import {
  centsOf,
  IN_NAIROBI,
  restOf,
  STRANGER,
  TILLS,
  UNREADABLE_TIMES,
  type Money,
  type PlatformLink,
  type PlatformPayment,
} from './platform.truth.js';
import { Chance, hashOf } from './seeded.chance.js';
import type { Simulation } from './history.simulation.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The time window around sending in which money of a payment may come. */
const MONEY_COMES_BEFORE_MS = 2 * MINUTE;
const MONEY_COMES_AFTER_MS = 15 * MINUTE;

/** Error with which a process knows the platform's clock, with a margin. */
const CLOCK_ERROR_MS = 10_000;

interface PollingRequest {
  from: string;
  to: string;
  callbackUrl: string;
  at: number;
  readyAt: number;
  listed: Record<string, unknown>[] | null;
}

/** The cause of the money: a payment request, a link, or nothing. */
export interface MoneyCause {
  request?: PlatformPayment | null;
  link?: PlatformLink | null;
}

/** Money at the merchant's tills: the webhooks about it, and the lists of it. */
export class PlatformTills {
  readonly moneys: Money[] = [];
  /** Money of another payer, under a reference that the platform has used before. */
  readonly usedAgain: Money[] = [];
  private readonly pollings = new Map<string, PollingRequest>();
  /** Time ranges that polling results have listed, by the platform's clock. */
  private readonly listings: [from: number, to: number][] = [];

  constructor(
    private readonly simulation: Simulation,
    private readonly platform: PlatformModel,
  ) {}

  /** A customer pays at the till without a request. */
  walkIn(name: string, phone: string, amount: string, till: number): void {
    const chance = this.simulation.chanceOf(name);
    this.pay(name, chance, phone, amount, till, {});
    this.simulation.reached('customer paid at the till without a request');
    const other = this.otherChance(`${name} again`);
    if (!this.simulation.happens(other, 'reference used again')) return;
    this.simulation.scheduler.after(
      other.duration(2 * HOUR, 30 * HOUR),
      null,
      `${name}: a reference is used again`,
      () => this.payAgain(`${name} again`, other),
    );
  }

  /** A stranger pays, and the platform gives that money the reference of older money that it has reported. */
  private payAgain(name: string, chance: Chance): void {
    const { now } = this.simulation.scheduler;
    // Two numbers of a till that no alias joins are two sums.
    if (this.simulation.rate('till form swapped') > 0) return;
    const older = this.moneys.find(
      (money) =>
        (money.receivedApplied || money.shownApplied) &&
        money.at < now - HOUR &&
        money.showsPayer === 'phone' &&
        money.tillSays.phone === undefined &&
        !this.moneys.some((other) => other !== money && other.reference === money.reference) &&
        !this.usedAgain.some(({ reference }) => reference === money.reference),
    );
    if (!older) return;
    const again: Money = {
      ...older,
      id: `t${this.platform.nextSerial('money used again')}-again`,
      amount: chance.pick([older.amount, '40.00']),
      phone: STRANGER,
      tillSays: {},
      at: now,
      listedAt: now,
      request: null,
      link: null,
      reversedAt: null,
      reversalSays: null,
      returnedCents: 0,
      receivedApplied: false,
      formsShown: new Set(),
      chance,
      listedAs: {},
      wasListed: false,
    };
    this.usedAgain.push(again);
    this.platform.funds.move(centsOf(again.amount));
    this.simulation.reached('a reference used again');
    this.webhook(again, 'received', `${name} webhook`, chance);
  }

  /** These random numbers are separate, so that those of older features do not change. */
  private otherChance(name: string): Chance {
    return new Chance(hashOf(name, this.simulation.plan.seed));
  }

  /** Returns the till number that the platform shows for this money now. */
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

  /** Money moves to a till. */
  pay(
    name: string,
    chance: Chance,
    phone: string,
    amount: string,
    till: number,
    { request = null, link = null }: MoneyCause,
  ): Money {
    const { simulation } = this;
    const { scheduler } = simulation;
    const now = scheduler.now;
    const serial = this.platform.nextSerial('money');
    const reference = `R${serial}${name.replace(/\W/g, '').toUpperCase()}`;
    // Two tills may use the same reference.
    const twin =
      request === null && link === null && simulation.happens(chance, 'one reference at two tills')
        ? this.moneys.find(
            ({ till: at, reference: name }) =>
              at !== TILLS[till] &&
              !this.moneys.some((own) => own.reference === name && own.till === TILLS[till]),
          )
        : undefined;
    if (twin) simulation.reached('one reference at two tills');
    const money: Money = {
      reference: twin?.reference ?? reference,
      id: `t${serial}`,
      amount,
      till: TILLS[till] as Money['till'],
      phone,
      showsPayer: simulation.happens(chance, 'hidden payer')
        ? chance.pick(['hash', 'nothing'] as const)
        : 'phone',
      tillSays: {},
      at: now,
      listedAt:
        now + (simulation.happens(chance, 'listed late') ? chance.duration(SECOND, 5 * HOUR) : 0),
      request,
      link,
      reversedAt: null,
      returnedCents: 0,
      reversalSays: null,
      receivedApplied: false,
      reversalApplied: false,
      shownApplied: false,
      form: 0,
      formsShown: new Set(),
      chance,
      listedAs: this.oddly(name, serial),
      wasListed: false,
    };
    this.moneys.push(money);
    this.differ(money, name);
    simulation.crossTalk.moved(money.reference);
    this.platform.funds.move(centsOf(amount));
    this.webhook(money, 'received', `${name} webhook`, chance);
    if (simulation.happens(chance, 'reversal')) {
      const later = chance.pick([chance.between(0, 300), chance.duration(300, 30 * HOUR)]);
      scheduler.after(later, null, `${money.reference} is reversed`, () => {
        if (money.reversedAt !== null || money.tillSays.amount !== undefined) return;
        simulation.reached('reversal');
        this.reverse(money, `${name} reversal`, chance, this.partOf(money, name));
      });
    }
    return money;
  }

  /** The till reports other facts about the money of a request than the request does. */
  private differ(money: Money, name: string): void {
    const { request, showsPayer } = money;
    const chance = this.otherChance(`${name} differs`);
    if (!request || !this.simulation.happens(chance, 'reports differ')) return;
    if (showsPayer === 'phone' && chance.happens(0.4)) {
      money.tillSays = { phone: STRANGER };
      this.simulation.reached('the till names another payer than the payment');
      return;
    }
    money.tillSays = { amount: '1.00' };
    request.consistent = false;
    this.simulation.reached('the till names another amount than the payment');
  }

  /** Returns the part of the money that goes back, in cents, and its amount in reports; null for all of it. */
  private partOf(money: Money, name: string): { cents: number; says: string } | null {
    const chance = this.otherChance(`${name} part`);
    if (!this.simulation.happens(chance, 'reversal of a part')) return null;
    const says = chance.pick(['40.00', '40.0', '40', '40,00', '40,0']);
    const isRead = !says.includes(',');
    this.simulation.reached(isRead ? 'a part goes back' : 'an unreadable amount goes back');
    return { cents: 4000, says };
  }

  /** Money goes back to the customer: a part, or the whole rest. */
  reverse(
    money: Money,
    name: string,
    chance: Chance,
    part: { cents: number; says: string } | null = null,
  ): void {
    const cents = part?.cents ?? restOf(money);
    money.reversedAt ??= this.simulation.scheduler.now;
    money.returnedCents += cents;
    if (part) money.reversalSays = part.says;
    this.platform.funds.move(-cents);
    this.simulation.observer.reversed(money);
    const isRest = !part && money.reversalSays !== null;
    this.webhook(money, 'reversed', name, chance, isRest ? (cents / 100).toFixed(2) : undefined);
  }

  /**
   * Informs the merchant of money that was received, or that went back.
   * @param amount the amount that went back, if it differs from the amount in all reports of the money
   */
  webhook(
    money: Money,
    kind: Reported['kind'],
    name: string,
    chance: Chance,
    amount?: string,
  ): void {
    const { simulation } = this;
    const { scheduler } = simulation;
    if (!simulation.plan.settings.webhooks) return;
    const topic = `buygoods_transaction_${kind}`;
    const isDaraja = kind === 'received' && simulation.happens(chance, 'daraja webhook');
    if (isDaraja) simulation.reached('webhook in the Daraja format');
    const send = (inMs: number, n: number, status: string, reported: Reported | null): void => {
      scheduler.after(inMs, null, `platform sends ${name} ${n}`, () => {
        if (this.platform.webhookUrl === null) return;
        const till = this.tillNumber(money);
        const resource = this.platform.wire.transaction(money, till, status, money.tillSays);
        if (amount !== undefined) resource['amount'] = amount;
        if (n === 8) resource['amount'] = 'about a hundred';
        const eventId = `e-${name.replace(/\W/g, '')}-${n}`;
        const body = isDaraja
          ? this.platform.wire.daraja(money, till)
          : this.platform.wire.webhook(topic, eventId, money.at, resource);
        this.platform.deliveries.post(`${name} ${n}`, this.platform.webhookUrl, body, reported);
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

  statusOf(money: Money): string {
    return money.reversedAt === null ? 'Received' : 'Reversed';
  }

  /** Makes or reads a list of the transactions of a time window. */
  list(request: PlatformRequest, chance: Chance): PlatformResponse {
    const { path, method } = request;
    const { now } = this.simulation.scheduler;
    if (now < this.simulation.listsAwayUntil) return answer(503, '');
    if (method === 'POST') {
      const body = bodyOf<{
        from_time: string;
        to_time: string;
        _links: { callback_url: string };
      }>(request);
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
      const pollingId = `w${this.platform.nextSerial('polling')}`;
      this.pollings.set(pollingId, polling);
      return answer(201, '', `https://platform.test/api/v2/polling/${pollingId}`);
    }
    const id = path.slice(path.lastIndexOf('/') + 1);
    const polling = this.pollings.get(id);
    if (!polling) return notFound();
    const { wire, offsetMs } = this.platform;
    if (now < polling.readyAt)
      return answer(200, JSON.stringify(wire.polling(id, 'Pending', polling, [])));
    if (polling.listed === null) {
      polling.listed = this.transactionsOf(polling);
      this.listings.push([
        Date.parse(polling.from),
        Math.min(Date.parse(polling.to), now + offsetMs),
      ]);
    }
    return answer(200, JSON.stringify(wire.polling(id, 'Success', polling, polling.listed)));
  }

  /** True when polling results have listed the whole time window of a payment that was sent at this time (platform's clock). */
  hasListed(sentAt: number): boolean {
    let reached = sentAt - MONEY_COMES_BEFORE_MS + CLOCK_ERROR_MS;
    const end = sentAt + MONEY_COMES_AFTER_MS - CLOCK_ERROR_MS;
    const sorted = [...this.listings].sort(([one], [other]) => one - other);
    for (const [from, to] of sorted) if (from <= reached) reached = Math.max(reached, to);
    return reached >= end;
  }

  /** Returns the fields of a transaction that moves now, as lists write them: in forms that can be read, and without a time that can be read. */
  private oddly(name: string, serial: number): Readonly<Record<string, unknown>> {
    const chance = new Chance(hashOf(`${name} ${serial}`, this.simulation.plan.seed));
    const unread = this.otherChance(`${name} ${serial} unread`);
    if (this.simulation.happens(unread, 'listed unreadably')) return this.unreadably(unread);
    if (!this.simulation.happens(chance, 'listed oddly')) return {};
    this.simulation.reached('money listed in another form');
    const at = this.simulation.scheduler.now + this.platform.offsetMs;
    const [nairobi, time] = new Date(at + 3 * HOUR).toISOString().slice(0, -1).split('T');
    const times = [null, `${nairobi}T${time}`, `${nairobi} ${time} +0300`, at, String(at)];
    return {
      ...(chance.happens(0.7) && { origination_time: chance.pick(times) }),
      ...(chance.happens(0.3) && { currency: 'Ksh' }),
    };
  }

  /** Returns the fields of a transaction, as lists write them, with one that cannot be read. */
  private unreadably(chance: Chance): Readonly<Record<string, unknown>> {
    if (chance.happens(0.5)) {
      this.simulation.reached('money listed with an unreadable amount');
      return { amount: chance.pick(['100,00', '100,0', '1.007,0', '1E+2']) };
    }
    this.simulation.reached('money listed at a time that cannot be');
    return { origination_time: chance.pick(UNREADABLE_TIMES) };
  }

  /** Returns the fields that a list of this moment writes in another way than a webhook. Money that went back is always written with its amount. */
  private listedNow({ at, listedAs, reversedAt }: Money): Readonly<Record<string, unknown>> {
    const { amount, origination_time: time, ...others } = listedAs;
    const nairobi = at + this.platform.offsetMs + 3 * HOUR;
    // Three hours later the time would be possible.
    const isAhead = nairobi > this.simulation.scheduler.now + this.platform.offsetMs + 10 * MINUTE;
    const inNairobi = isAhead ? new Date(nairobi).toISOString() : UNREADABLE_TIMES[0];
    return {
      ...others,
      ...(amount !== undefined && reversedAt === null && { amount }),
      ...(time !== undefined && { origination_time: time === IN_NAIROBI ? inNairobi : time }),
    };
  }

  private transactionsOf({ from, to }: PollingRequest): Record<string, unknown>[] {
    const { now } = this.simulation.scheduler;
    return [...this.moneys, ...this.usedAgain]
      .filter((money) => {
        const at = money.at + this.platform.offsetMs;
        return money.listedAt <= now && at >= Date.parse(from) && at <= Date.parse(to);
      })
      .map((money) => {
        money.wasListed = true;
        return {
          ...this.platform.wire.transaction(
            money,
            this.tillNumber(money),
            this.statusOf(money),
            money.tillSays,
          ),
          ...this.listedNow(money),
        };
      });
  }
}
