import { amountProblem, currencyProblem, type Amount } from '../money/money.js';
import { Satisfies } from '../work/satisfies.decorator.js';

/**
 * An amount to request.
 * @see docs/conformance.md#incoming-payments
 * @publicApi
 */
export class AmountDto implements Amount {
  /** ISO 4217 code, such as `KES`. */
  @Satisfies(currencyProblem)
  currency: string;

  /** Decimal string, more than 0, with at most the decimals of the currency and 15 significant digits: `"100.00"`. */
  @Satisfies((value, amount) => amountProblem(value, String(amount['currency'])))
  value: string;
}
