import type { SimulatedClock } from '../clock/clock.service.js';
import type { FaultSubject } from '../faults/fault.subject.js';
import { optional, required, text, type BodySchema } from '../server/body.dto.js';
import { links, metadata } from '../server/field.rules.js';
import { Refusal, type PlatformAnswer } from '../server/platform-answer.dto.js';
import type { PlatformExchange, PlatformRoute } from '../server/platform-exchange.dto.js';
import type { RequestPipeline } from '../server/request-pipeline.service.js';
import { startWork } from '../server/result-order.js';
import type { SimulatorSettings } from '../simulator.options.js';
import type { Transaction } from '../transactions/transactions.store.js';
import { REVERSALS_PATH } from './reversal.resource.js';
import type { Reversals } from './reversals.service.js';
import type { CreateReversalBody } from './reversals.store.js';

const RESOURCE = 'reversals';

/** The endpoints of reversals: create and read. */
export class ReversalRoutes {
  private readonly schema: BodySchema;

  constructor(
    settings: SimulatorSettings,
    private readonly pipeline: RequestPipeline,
    private readonly clock: SimulatedClock,
    private readonly reversals: Reversals,
  ) {
    this.schema = {
      transaction_reference: required(text),
      reason: required(text),
      metadata: optional(metadata),
      _links: links(settings.allowPlainCallbackHosts),
    };
  }

  routes(): PlatformRoute[] {
    return [
      { method: 'POST', path: REVERSALS_PATH, handle: (exchange) => this.create(exchange) },
      { method: 'GET', path: `${REVERSALS_PATH}/:id`, handle: (exchange) => this.get(exchange) },
    ];
  }

  private async create(exchange: PlatformExchange): Promise<PlatformAnswer> {
    this.pipeline.authorise(exchange, RESOURCE);
    const body = this.pipeline.readBody<CreateReversalBody>(exchange, this.schema);
    const transaction = this.reversals.reversible(body);
    const subject = subjectOf(transaction);
    return this.pipeline.create(exchange, subject, async () => {
      const reversal = this.reversals.create(body, transaction);
      await startWork(exchange, subject, this.clock, (atOnce) =>
        this.reversals.carryOut(reversal, atOnce),
      );
      return `${REVERSALS_PATH}/${reversal.id}`;
    });
  }

  private async get(exchange: PlatformExchange): Promise<PlatformAnswer> {
    this.pipeline.authorise(exchange, RESOURCE);
    const reversal = this.reversals.find(exchange.params.id ?? '');
    if (!reversal) throw new Refusal(404, 'The reversal was not found');
    const subject = { ...subjectOf(reversal.transaction), paymentId: reversal.id };
    return this.pipeline.read(exchange, subject, () => this.reversals.read(reversal, subject));
  }
}

function subjectOf({ phoneNumber: phone }: Transaction): FaultSubject {
  return { resource: RESOURCE, phone };
}
