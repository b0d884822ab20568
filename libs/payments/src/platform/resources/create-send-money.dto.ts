import type { ClassConstructor } from 'class-transformer';
import { Equals, IsBoolean, IsOptional } from 'class-validator';
import { amountProblem, currencyProblem } from '../../money/money.js';
import { tillNumberProblem } from '../../money/till-number.js';
import {
  accountProblem,
  type Metadata,
  metadataProblem,
  secureUrlProblem,
} from '../../money/values.js';
import { type FieldProblem, PaymentsValidationError } from '../../payments.errors.js';
import {
  type CheckedInput,
  checkInput,
  checkVariant,
  filled,
  Satisfies,
  WHOLE_INPUT,
} from '../../runtime/validate-input.js';
import { phoneProblem, type PhoneSettings, readMobilePhone } from '../input.dto.js';

/** Every destination has these fields. */
class AnyDestination {
  /** Decimal string in the main unit of the currency, more than 0: `'1000'` or `'1000.00'`. */
  @Satisfies((value) => amountProblem(value))
  amount: string;
}

/** A destination that is not an account of the merchant has these fields. */
class ExternalDestination extends AnyDestination {
  /** Says what the money is for. */
  @Satisfies(filled)
  description: string;

  /** A name under which the platform keeps the recipient. */
  @IsOptional()
  @Satisfies(filled)
  nickname?: string;

  /** True asks the platform to mark the recipient as a favourite. */
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

/** A destination that is an account of the merchant has these fields. */
class OwnDestination extends AnyDestination {
  /** The `accountReference` of the merchant's wallet or bank account. */
  @Satisfies(accountProblem)
  reference: string;

  /** Says what the money is for. */
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

/** A destination to which money is sent; `type` says which fields it has. @see docs/conformance.md#send-money @publicApi */
export type SendMoneyDestination =
  | MobileWalletDestination
  | BankAccountDestination
  | TillDestination
  | PaybillDestination
  | MerchantWalletDestination
  | MerchantBankAccountDestination;

/** The class of each type, with the rules of its fields. */
const DESTINATION_CLASSES: ReadonlyMap<unknown, new () => SendMoneyDestination> = new Map<
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

/** Every request to send money has these fields. @publicApi */
export interface SendMoneyBase {
  /** ISO 4217 code, such as `KES`. */
  currency: string;
  /** The till number that pays. @default the platform's choice */
  sourceIdentifier?: string;
  /** The host's own data, at most 5 keys. The platform sends it back with the result. */
  metadata?: Metadata;
  /**
   * `https:` URL to which the platform posts the results. With another URL than the default we emit no event for them.
   * @default our callback URL
   */
  callbackUrl?: string;
}

/** A request to send money to destinations. @see docs/conformance.md#send-money @publicApi */
export interface SendMoneyToDestinations extends SendMoneyBase {
  /** At least one. The platform takes a request without destinations as the order to send ALL funds. */
  destinations: readonly [SendMoneyDestination, ...SendMoneyDestination[]];
  sweepAllFunds?: never;
}

/** A request to send ALL funds to the merchant's own accounts. @see docs/conformance.md#send-money @publicApi */
export interface SweepAllFunds extends SendMoneyBase {
  /** Says that ALL funds are to be sent. It stands alone: without destinations. */
  sweepAllFunds: true;
  destinations?: never;
}

/**
 * A request to send money out: to destinations, or ALL funds.
 * @see docs/conformance.md#send-money
 * @publicApi
 */
export type CreateSendMoneyDto = SendMoneyToDestinations | SweepAllFunds;

/** Returns the error text for a list of destinations that cannot be sent; null when it may be. */
export function destinationsProblem(
  value: unknown,
  { sweepAllFunds }: { sweepAllFunds?: unknown },
): string | null {
  if (sweepAllFunds === true)
    return value === undefined
      ? null
      : 'must be left out, because sweepAllFunds is true: send to destinations, or send all funds';
  return Array.isArray(value) && value.length > 0
    ? null
    : 'must be a list of at least one destination: without destinations the platform would send ALL funds of the account. ' +
        'To send all funds, pass sweepAllFunds: true and no destinations';
}

/** The rules of the fields of a request; those of each destination are in `validateSendMoney`. */
export class SendMoneyFields {
  @Satisfies(currencyProblem)
  currency: string;

  @Satisfies(destinationsProblem)
  destinations?: readonly SendMoneyDestination[];

  @Satisfies((value) =>
    value === undefined || value === true
      ? null
      : 'must be left out, or true to send ALL funds of the account',
  )
  sweepAllFunds?: true;

  @IsOptional()
  @Satisfies(filled)
  sourceIdentifier?: string;

  @IsOptional()
  @Satisfies(metadataProblem)
  metadata?: Metadata;

  @IsOptional()
  @Satisfies(secureUrlProblem)
  callbackUrl?: string;
}

/**
 * Checks a request to send money, with each of its destinations. The phone numbers of the result are in international form.
 * @throws PaymentsValidationError that names every wrong, missing or unknown field: `destinations.1.phoneNumber`
 */
export function validateSendMoney<T extends SendMoneyFields>(
  dto: ClassConstructor<T>,
  input: unknown,
  settings: PhoneSettings,
): T {
  const { value, problems } = checkInput(dto, input);
  if (value === null) throw new PaymentsValidationError(problems);
  const { destinations } = value;
  if (Array.isArray(destinations)) {
    const checked = Array.from(destinations as readonly unknown[], (destination) =>
      checkDestination(destination, value.currency, settings),
    );
    for (const [index, one] of checked.entries())
      problems.push(...one.problems.map((problem) => below(`destinations.${index}`, problem)));
    value.destinations = checked.flatMap((one) => one.value ?? []);
  }
  if (problems.length > 0) throw new PaymentsValidationError(problems);
  return value;
}

function below(path: string, { field, problem }: FieldProblem): FieldProblem {
  return { field: field === WHOLE_INPUT ? path : `${path}.${field}`, problem };
}

function checkDestination(
  input: unknown,
  currency: string,
  settings: PhoneSettings,
): CheckedInput<SendMoneyDestination> {
  const { value, problems } = checkVariant(DESTINATION_CLASSES, input);
  const isFine = (name: string): boolean => problems.every(({ field }) => field !== name);
  const amount = value && isFine('amount') ? amountProblem(value.amount, currency) : null;
  if (amount !== null) problems.push({ field: 'amount', problem: amount });
  if (value?.type === 'mobile_wallet' && isFine('phoneNumber')) {
    const { phoneNumber, problem } = readMobilePhone(value.phoneNumber, settings, currency);
    if (problem === undefined) value.phoneNumber = phoneNumber;
    else problems.push({ field: 'phoneNumber', problem });
  }
  if (value) trim(value);
  return { value, problems };
}

/** We send what was typed, without the blanks around it. */
function trim(destination: SendMoneyDestination): void {
  const fields = destination as unknown as Record<string, unknown>;
  for (const [name, text] of Object.entries(fields))
    if (ACCOUNT_FIELDS.has(name) && typeof text === 'string') fields[name] = text.trim();
}

/** These fields name an account. We send them as they were typed, but trimmed. */
const ACCOUNT_FIELDS: ReadonlySet<string> = new Set([
  'bankBranchRef',
  'accountNumber',
  'paybillNumber',
  'paybillAccountNumber',
  'reference',
]);
