import { Equals, IsEmail, IsOptional } from 'class-validator';
import { tillNumberProblem } from '../../../money/till-number.js';
import { phoneProblem } from '../../../work/mobile-phone.js';
import { filled, Satisfies } from '../../../work/satisfies.decorator.js';

/** What every recipient has. */
class AnyRecipient {
  /** A name under which the platform shows the recipient. */
  @IsOptional()
  @Satisfies(filled)
  nickname?: string;
}

/** A person with a mobile money account. @see docs/conformance.md#external-recipients @publicApi */
export class MobileWalletRecipient extends AnyRecipient {
  @Equals('mobile_wallet')
  type: 'mobile_wallet';

  @Satisfies(filled)
  firstName: string;

  @Satisfies(filled)
  lastName: string;

  /** Mobile number in international form with `+`, or as written in `defaultCountry`: `+254700000001`, `0700 000 001`. */
  @Satisfies(phoneProblem)
  phoneNumber: string;

  /** Name of the mobile network: `Safaricom`. */
  @Satisfies(filled)
  network: string;

  @IsOptional()
  @IsEmail({}, { message: '$property must be an e-mail address' })
  email?: string;
}

/** An account at a bank. @see docs/conformance.md#external-recipients @publicApi */
export class BankAccountRecipient extends AnyRecipient {
  @Equals('bank_account')
  type: 'bank_account';

  @Satisfies(filled)
  accountName: string;

  @Satisfies(filled)
  accountNumber: string;

  /** The platform's id of the bank's branch. Only the platform's own dashboard shows it. */
  @Satisfies(filled)
  bankBranchRef: string;

  /** How banks transfer the money: `EFT` or `RTS`. @default the platform's choice */
  @IsOptional()
  @Satisfies(filled)
  settlementMethod?: string;
}

/** A till of another merchant. @see docs/conformance.md#external-recipients @publicApi */
export class TillRecipient extends AnyRecipient {
  @Equals('till')
  type: 'till';

  @Satisfies(filled)
  tillName: string;

  @Satisfies(tillNumberProblem)
  tillNumber: string;
}

/** An account behind a paybill number. @see docs/conformance.md#external-recipients @publicApi */
export class PaybillRecipient extends AnyRecipient {
  @Equals('paybill')
  type: 'paybill';

  @Satisfies(filled)
  paybillName: string;

  @Satisfies(filled)
  paybillNumber: string;

  /** The account of the payer at the owner of the paybill number. */
  @Satisfies(filled)
  paybillAccountNumber: string;
}

/** A recipient of money; `type` says which fields it has. @see docs/conformance.md#external-recipients @publicApi */
export type CreateExternalRecipientDto =
  MobileWalletRecipient | BankAccountRecipient | TillRecipient | PaybillRecipient;

/** The class of each type, with the rules of its fields. */
export const RECIPIENT_CLASSES: ReadonlyMap<unknown, new () => CreateExternalRecipientDto> =
  new Map<unknown, new () => CreateExternalRecipientDto>([
    ['mobile_wallet', MobileWalletRecipient],
    ['bank_account', BankAccountRecipient],
    ['till', TillRecipient],
    ['paybill', PaybillRecipient],
  ]);
