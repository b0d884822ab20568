import type { SimulatedClock } from '../clock/clock.service.js';
import type { BodySchema } from '../server/body.dto.js';
import { Refusal, type PlatformAnswer } from '../server/platform-answer.dto.js';
import type { PlatformExchange, PlatformRoute } from '../server/platform-exchange.dto.js';
import type { RequestPipeline } from '../server/request-pipeline.service.js';
import { startWork } from '../server/result-order.js';
import type { WireObject } from '../transactions/transaction.resource.js';
import type { PayoutFormat, PayoutOrder } from './payout.model.js';
import type { Payouts } from './payouts.service.js';

/** One kind of request that sends money out. */
export interface PayoutKind<Body> {
  readonly format: PayoutFormat;
  readonly schema: BodySchema;
  /** Checks what the schema cannot, without changing anything. @returns the first phone, with + @throws Refusal */
  check(body: Body): string | undefined;
  /** Reads a checked body. Makes unknown recipients known. */
  read(body: Body): Omit<PayoutOrder, 'resource' | 'request'>;
}

/** The endpoints of one kind of request that sends money out: create and read. */
export class PayoutRoutes<Body> {
  constructor(
    private readonly pipeline: RequestPipeline,
    private readonly clock: SimulatedClock,
    private readonly payouts: Payouts,
    private readonly kind: PayoutKind<Body>,
  ) {}

  routes(): PlatformRoute[] {
    const { path } = this.kind.format;
    return [
      { method: 'POST', path, handle: (exchange) => this.create(exchange) },
      { method: 'GET', path: `${path}/:id`, handle: (exchange) => this.get(exchange) },
    ];
  }

  private async create(exchange: PlatformExchange): Promise<PlatformAnswer> {
    const { format, schema } = this.kind;
    const { resource, path } = format;
    this.pipeline.authorise(exchange, resource);
    const body = this.pipeline.readBody<Body & WireObject>(exchange, schema);
    const phone = this.kind.check(body);
    const subject = { resource, ...(phone === undefined ? {} : { phone }) };
    return this.pipeline.create(exchange, subject, async () => {
      const payout = this.payouts.create({ ...this.kind.read(body), resource, request: body });
      await startWork(exchange, subject, this.clock, (atOnce) =>
        this.payouts.carryOut(payout, atOnce),
      );
      return `${path}/${payout.id}`;
    });
  }

  private async get(exchange: PlatformExchange): Promise<PlatformAnswer> {
    const { resource } = this.kind.format;
    this.pipeline.authorise(exchange, resource);
    const payout = this.payouts.find(exchange.params.id ?? '');
    if (payout?.order.resource !== resource) throw new Refusal(404, 'The request was not found');
    const subject = this.payouts.subjectOf(payout);
    return this.pipeline.read(exchange, subject, () => this.payouts.read(payout, subject));
  }
}
