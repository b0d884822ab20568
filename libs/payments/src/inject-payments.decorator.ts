import { Inject, type Type } from '@nestjs/common';
import { PaymentsService } from './ledger/payments.service.js';
import { accountToken, DEFAULT_ACCOUNT } from './payments.constants.js';

/**
 * Injects a service of a named account.
 * @param service which service. @default PaymentsService
 * @example
 * constructor(@InjectPayments('shop') private readonly payments: PaymentsService) {}
 * @publicApi
 */
export function InjectPayments(
  account: string = DEFAULT_ACCOUNT,
  service: Type = PaymentsService,
): PropertyDecorator & ParameterDecorator {
  return Inject(accountToken(service, account));
}

/** The injection token behind {@link InjectPayments}, for `app.get()`. @publicApi */
export function getPaymentsToken(
  account: string = DEFAULT_ACCOUNT,
  service: Type = PaymentsService,
): string {
  return accountToken(service, account) as string;
}
