import { Inject, type Type } from '@nestjs/common';
import { PaymentsService } from './operations/payments/payments.service.js';
import { accountToken } from './payments.constants.js';
import { DEFAULT_ACCOUNT } from './payments-defaults.js';

/**
 * Injects a service of a named account. Needed only when an application has several accounts.
 * @param account name of the account. @default 'default'
 * @param service class of the service. @default PaymentsService
 * @example
 * constructor(@InjectPayments('shop') private readonly payments: PaymentsService) {}
 * @see docs/guide.md#two-merchants-in-one-application
 * @publicApi
 */
export function InjectPayments(
  account: string = DEFAULT_ACCOUNT,
  service: Type = PaymentsService,
): PropertyDecorator & ParameterDecorator {
  return Inject(accountToken(service, account));
}

/**
 * The injection token that {@link InjectPayments} uses, for `app.get()`.
 * @example
 * const payments = app.get<PaymentsService>(getPaymentsToken('shop'));
 * @publicApi
 */
export function getPaymentsToken(
  account: string = DEFAULT_ACCOUNT,
  service: Type = PaymentsService,
): string {
  return accountToken(service, account) as string;
}
