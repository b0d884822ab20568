import { Equals, IsBoolean, IsOptional } from 'class-validator';
import { accountProblem } from '../../../money/account-number.js';
import { amountProblem } from '../../../money/money.js';
import { tillNumberProblem } from '../../../money/till-number.js';
import { phoneProblem } from '../../../work/mobile-phone.js';
import { filled, Satisfies } from '../../../work/satisfies.decorator.js';

/** What every destination has. */
class AnyDestination {
  /** Decimal string in the main unit of the currency, more than 0: `'1000'` or `'1000.00'`. */
  @Satisfies((value) => amountProblem(value))
  amount: string;
}

/** What a destination has that is not an account of the merchant. */
class ExternalDestination extends AnyDestination {
  /** What the money is for. */
  @Satisfies(filled)
  description: string;

  /** A name under which the platform keeps the recipient. */
  @IsOptional()
  @Satisfies(filled)
  nickname?: string;

  /** Whether the platform marks the recipient as a favourite. */
  @IsOptional()
  @IsBoolean({ message: '$property must be true or false' })
  favourite?: boolean;
}

/** A person's mobile money account. @see docs/conformance.md#send-money @publicApi */
export class MobileWalletDestination extends ExternalDestination {
  @Equals('mobile_wallet')
  type: 'mobile_wallet';

  /** Mobile number in international form with `+`, or as written in `defaultCountry`: `+254700000001`, `0700 000 001`. */
  @Satisfies(phoneProblem)
  phoneNumber: string;

  /** Name of the mobile network: `Safaricom`. */
  @Satisfies(filled)
  network: string;
}

/** An account at a bank. @see docs/conformance.md#send-money @publicApi */
export class BankAccountDestination extends ExternalDestination {
  @Equals('bank_account')
  type: 'bank_account';

  /** The platform's id of the bank's branch. Only the platform's own dashboard shows it. */
  @Satisfies(accountProblem)
  bankBranchRef: string;

  @Satisfies(filled)
  accountName: string;

  @Satisfies(accountProblem)
  accountNumber: string;
}

/** A till of another merchant. @see docs/conformance.md#send-money @publicApi */
export class TillDestination extends ExternalDestination {
  @Equals('till')
  type: 'till';

  @Satisfies(tillNumberProblem)
  tillNumber: string;
}

/** An account behind a paybill number. @see docs/conformance.md#send-money @publicApi */
export class PaybillDestination extends ExternalDestination {
  @Equals('paybill')
  type: 'paybill';

  @Satisfies(accountProblem)
  paybillNumber: string;

  /** The account of the payer at the owner of the paybill number. */
  @Satisfies(accountProblem)
  paybillAccountNumber: string;
}

/** What a destination has that is an account of the merchant. */
class OwnDestination extends AnyDestination {
  /** The `accountReference` of the merchant's wallet or bank account. */
  @Satisfies(accountProblem)
  reference: string;

  /** What the money is for. */
  @IsOptional()
  @Satisfies(filled)
  description?: string;
}

/** A mobile money account of the merchant. @see docs/conformance.md#send-money @publicApi */
export class MerchantWalletDestination extends OwnDestination {
  @Equals('merchant_wallet')
  type: 'merchant_wallet';
}

/** A bank account of the merchant. @see docs/conformance.md#send-money @publicApi */
export class MerchantBankAccountDestination extends OwnDestination {
  @Equals('merchant_bank_account')
  type: 'merchant_bank_account';
}

/** Where money is sent; `type` says which fields it has. @see docs/conformance.md#send-money @publicApi */
export type SendMoneyDestination =
  | MobileWalletDestination
  | BankAccountDestination
  | TillDestination
  | PaybillDestination
  | MerchantWalletDestination
  | MerchantBankAccountDestination;

/** The class of each type, with the rules of its fields. */
export const DESTINATION_CLASSES: ReadonlyMap<unknown, new () => SendMoneyDestination> = new Map<
  unknown,
  new () => SendMoneyDestination
>([
  ['mobile_wallet', MobileWalletDestination],
  ['bank_account', BankAccountDestination],
  ['till', TillDestination],
  ['paybill', PaybillDestination],
  ['merchant_wallet', MerchantWalletDestination],
  ['merchant_bank_account', MerchantBankAccountDestination],
]);
