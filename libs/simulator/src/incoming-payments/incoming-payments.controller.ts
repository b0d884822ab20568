import type { MerchantContext } from '../merchants/merchant-context.js';
import { withPlus } from '../server/field-rules.js';
import { Refusal } from '../server/platform-answer.dto.js';
import type { ApiResource } from '../server/resource-routes.js';
import { SCENARIOS, type ScenarioDescription } from '../scenarios/scenarios.constants.js';
import { fitsCurrency, minorUnits } from '../values/amount.js';
import {
  incomingPaymentSchema,
  type CreateIncomingPaymentBody,
} from './create-incoming-payment.dto.js';
import { INCOMING_PAYMENT } from './incoming-payment.resource.js';
import type { IncomingPayments } from './incoming-payments.service.js';
import type { IncomingPayment } from './incoming-payment.record.js';
import type { PaymentPrompts } from './payment-prompts.service.js';

/** The scenario `callback_first` waits this many milliseconds for the receiver. Then it answers the create anyway. */
const CALLBACK_FIRST_MAX_WAIT_MS = 5_000;

/** Returns the endpoints of payment requests. */
export function incomingPaymentsApi(
  { settings, merchant }: MerchantContext,
  payments: IncomingPayments,
  prompts: PaymentPrompts,
): ApiResource<CreateIncomingPaymentBody, IncomingPayment> {
  return {
    path: INCOMING_PAYMENT.path,
    name: 'incoming payment',
    schema: incomingPaymentSchema(settings.allowPlainCallbackHosts, settings.strict),
    view: payments.writer,
    find: (id) => payments.store.find(id),
    check(body) {
      // Without `strict`, the value may be text, and the phone number without +.
      body.amount.value = Number(body.amount.value);
      body.subscriber.phone_number = String(withPlus(body.subscriber.phone_number));
      const { value, currency } = body.amount;
      if (!fitsCurrency(value, currency))
        throw new Refusal(400, `amount.value has more decimals than ${currency} has`);
      if (!Number.isSafeInteger(minorUnits(value, currency)))
        throw new Refusal(400, 'amount.value is too large');
      const till = merchant.tills.find(body.till_number);
      if (!till) throw new Refusal(422, `till_number ${body.till_number} is not known`);
      return {
        subject: { phone: body.subscriber.phone_number },
        async commit(exchange, subject) {
          const payment = payments.create(body);
          const { callback }: ScenarioDescription = SCENARIOS[payment.scenario];
          const maxWait = callback === 'before-answer' ? { ms: CALLBACK_FIRST_MAX_WAIT_MS } : null;
          const early = exchange.inject('before-create-answer', subject) ?? maxWait;
          if (early) await prompts.completeAtOnce(payment, till, early.ms!);
          else prompts.begin(payment, till);
          return payment;
        },
      };
    },
  };
}
