import type {
  PlatformRequest,
  PlatformResponse,
} from '../../libs/payments/src/platform/http/platform-answer.js';
import { PlatformDeliveries } from './platform.deliveries.js';
import {
  answer,
  bodyOf,
  isCancel,
  isCreate,
  keyOfCreate,
  notFound,
  type Creation,
  type ExchangeFault,
} from './platform.exchange.js';
import { PlatformFunds } from './platform.funds.js';
import { PlatformLinks } from './platform.links.js';
import { PlatformPayments } from './platform.payments.js';
import { PlatformPayouts } from './platform.payouts.js';
import { PlatformReversals } from './platform.reversals.js';
import { PlatformTills } from './platform.tills.js';
import type { CreateArrival, Money, PlatformPayment } from './platform.truth.js';
import { PlatformWire } from './platform.wire.js';
import type { Chance } from './seeded.chance.js';
import type { Simulation } from './history.simulation.js';

/** Faults of a create that the platform processes nevertheless. */
const PROCESSED = new Set<ExchangeFault>([
  'normal',
  'slow',
  'answer lost',
  'error processed',
  'unreadable location',
]);

/** After these faults the sender may not know the outcome of its create. */
const UNSURE = new Set<ExchangeFault>(['slow', 'answer lost', 'error processed']);

/**
 * A model of the platform, written from its contract. It shares no code with the library or the simulator. It keeps the truth: who was
 * asked, who paid, who was paid, which money was reversed, and when.
 */
export class PlatformModel {
  readonly arrivals: CreateArrival[] = [];
  readonly deliveries: PlatformDeliveries;
  readonly wire: PlatformWire;
  readonly funds: PlatformFunds;
  readonly tills: PlatformTills;
  readonly payouts: PlatformPayouts;
  readonly reversals: PlatformReversals;
  readonly links: PlatformLinks;
  webhookUrl: string | null = null;
  private readonly serials = new Map<string, number>();
  private readonly prompts: PlatformPayments;

  constructor(
    private readonly simulation: Simulation,
    readonly offsetMs: number,
    openingCents: number,
  ) {
    this.wire = new PlatformWire(offsetMs, simulation.mark);
    this.deliveries = new PlatformDeliveries(simulation);
    this.funds = new PlatformFunds(openingCents);
    this.tills = new PlatformTills(simulation, this);
    this.prompts = new PlatformPayments(simulation, this);
    this.payouts = new PlatformPayouts(simulation, this);
    this.reversals = new PlatformReversals(simulation, this);
    this.links = new PlatformLinks(simulation, this);
  }

  get payments(): ReadonlyMap<string, PlatformPayment> {
    return this.prompts.all;
  }

  get moneys(): readonly Money[] {
    return this.tills.moneys;
  }

  /** True when it has a resource with this id. */
  has(id: string): boolean {
    const { prompts, payouts, reversals, links } = this;
    return [prompts, payouts, reversals, links].some(({ all }) => all.has(id));
  }

  /** Returns the next number for a kind of resource, so that the first payment of every account has the same id. */
  nextSerial(kind: string): number {
    const serial = (this.serials.get(kind) ?? 0) + 1;
    this.serials.set(kind, serial);
    return serial;
  }

  /** Returns the `Date` header of an answer. */
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
    this.simulation.crossTalk.requested(request);
    const creation = isCreate(request) ? this.arrive(request, fault, name, chance) : null;
    if (isCancel(request) && fault === 'answer lost') this.respond(request, chance);
    if (fault === 'unprocessed' || fault === 'answer lost') return null;
    if (fault === 'rate limited')
      return answer(429, '', null, chance.pick(['0', null, '2', '30', '3600']));
    if (fault === 'unauthorized') return answer(401, '{"error_message":"ExpiredAccessToken"}');
    if (fault === 'rejected')
      return answer(chance.pick([400, 403, 404, 422, 302]), '{"error_message":"no"}');
    if (fault === 'error unprocessed' || fault === 'error processed')
      return answer(chance.pick([500, 502, 503, 408]), '');
    if (!creation) return this.respond(request, chance);
    if ('refused' in creation) {
      this.simulation.reached('create refused by the platform');
      return answer(400, JSON.stringify({ errors: [creation.refused] }));
    }
    const location = `https://platform.test${request.path}/${creation.id}`;
    const broken = chance.pick([null, `https://platform.test${request.path}/a%20b`]);
    return answer(201, '', fault === 'unreadable location' ? broken : location);
  }

  private arrive(
    request: PlatformRequest,
    fault: ExchangeFault,
    name: string,
    chance: Chance,
  ): Creation | null {
    const creation = PROCESSED.has(fault) ? this.create(request, name, chance) : null;
    const id = creation && 'id' in creation ? creation.id : null;
    const isRefused = creation !== null && id === null;
    const couldCharge =
      (PROCESSED.has(fault) && !isRefused) ||
      fault === 'unprocessed' ||
      fault === 'error unprocessed';
    const arrival: CreateArrival = {
      key: keyOfCreate(request),
      at: this.simulation.scheduler.now,
      couldCharge,
      mayBeUnknown: couldCharge || (isRefused && UNSURE.has(fault)),
      id,
      payment: this.prompts.all.get(id ?? '') ?? null,
    };
    this.arrivals.push(arrival);
    this.simulation.checker.sending.createArrived(arrival);
    return creation;
  }

  private create(request: PlatformRequest, name: string, chance: Chance): Creation {
    switch (request.path) {
      case '/api/v2/send_money':
        return this.payouts.create(bodyOf(request), name, chance);
      case '/api/v2/reversals':
        return this.reversals.create(bodyOf(request), name, chance);
      case '/api/v2/payment_links':
        return this.links.create(bodyOf(request), name, chance);
      default:
        return this.prompts.begin(bodyOf(request), name, chance);
    }
  }

  private respond(request: PlatformRequest, chance: Chance): PlatformResponse {
    const { path } = request;
    const [, , , resource, id = ''] = path.split('/');
    if (path === '/oauth/token') return this.token();
    switch (resource) {
      case 'incoming_payments':
        return this.prompts.read(id);
      case 'send_money':
        return this.payouts.read(id);
      case 'reversals':
        return this.reversals.read(id);
      case 'payment_links':
        return isCancel(request) ? this.links.cancel(id) : this.links.read(id);
      case 'polling':
        return this.tills.list(request, chance);
      case undefined:
      default:
        return notFound();
    }
  }

  private token(): PlatformResponse {
    const created = Math.floor((this.simulation.scheduler.now + this.offsetMs) / 1000);
    return answer(
      200,
      `{"access_token":"token-${this.simulation.mark}-${this.nextSerial('token')}","token_type":"Bearer","expires_in":3600,"created_at":${created}}`,
    );
  }
}
