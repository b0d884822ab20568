import { withPlus } from '../server/field.rules.js';
import { Refusal, type PlatformAnswer } from '../server/platform-answer.dto.js';
import type { PlatformExchange, PlatformRoute } from '../server/platform-exchange.dto.js';
import type { RequestPipeline } from '../server/request-pipeline.service.js';
import { SCENARIOS, type ScenarioDescription } from '../scenarios/scenarios.constants.js';
import type { SimulatorSettings } from '../simulator.options.js';
import type { Tills } from '../tills/tills.service.js';
import { fitsCurrency, minorUnits } from '../values/amount.js';
import { INCOMING_PAYMENTS_PATH, type IncomingPayments } from './incoming-payments.service.js';
import {
  incomingPaymentSchema,
  type CreateIncomingPaymentBody,
} from './create-incoming-payment.dto.js';
import type { PaymentPrompts } from './payment-prompts.service.js';

const RESOURCE = 'incoming_payments';

/** How long the scenario `callback_first` waits for the receiver before it answers the create anyway. */
const CALLBACK_FIRST_MAX_WAIT_MS = 5_000;

/** The endpoints of payment requests: create and read. */
export class IncomingPaymentRoutes {
  private readonly schema;

  constructor(
    settings: SimulatorSettings,
    private readonly pipeline: RequestPipeline,
    private readonly tills: Tills,
    private readonly payments: IncomingPayments,
    private readonly prompts: PaymentPrompts,
  ) {
    this.schema = incomingPaymentSchema(settings.allowPlainCallbackHosts, settings.strict);
  }

  routes(): PlatformRoute[] {
    return [
      { method: 'POST', path: INCOMING_PAYMENTS_PATH, handle: (exchange) => this.create(exchange) },
      {
        method: 'GET',
        path: `${INCOMING_PAYMENTS_PATH}/:id`,
        handle: (exchange) => this.get(exchange),
      },
    ];
  }

  private async create(exchange: PlatformExchange): Promise<PlatformAnswer> {
    this.pipeline.authorise(exchange, RESOURCE);
    const body = this.pipeline.readBody<CreateIncomingPaymentBody>(exchange, this.schema);
    // Without `strict`, the value may be text, and the phone number without +.
    body.amount.value = Number(body.amount.value);
    body.subscriber.phone_number = String(withPlus(body.subscriber.phone_number));
    const { value, currency } = body.amount;
    if (!fitsCurrency(value, currency))
      throw new Refusal(400, `amount.value has more decimals than ${currency} has`);
    if (!Number.isSafeInteger(minorUnits(value, currency)))
      throw new Refusal(400, 'amount.value is too large');
    const till = this.tills.find(body.till_number);
    if (!till) throw new Refusal(422, `till_number ${body.till_number} is not known`);
    const subject = { resource: RESOURCE, phone: body.subscriber.phone_number };
    return this.pipeline.create(exchange, subject, async () => {
      const payment = this.payments.create(body);
      const scenario: ScenarioDescription = SCENARIOS[payment.scenario];
      const maxWait =
        scenario.callback === 'before-answer' ? { ms: CALLBACK_FIRST_MAX_WAIT_MS } : null;
      const early = exchange.inject('before-create-answer', subject) ?? maxWait;
      if (early) await this.prompts.completeAtOnce(payment, till, early.ms!);
      else this.prompts.begin(payment, till);
      return `${INCOMING_PAYMENTS_PATH}/${payment.id}`;
    });
  }

  private async get(exchange: PlatformExchange): Promise<PlatformAnswer> {
    this.pipeline.authorise(exchange, RESOURCE);
    const payment = this.payments.find(exchange.params.id ?? '');
    if (!payment) throw new Refusal(404, 'The incoming payment was not found');
    const subject = this.payments.subjectOf(payment);
    return this.pipeline.read(exchange, subject, () => this.payments.read(payment, subject));
  }
}
