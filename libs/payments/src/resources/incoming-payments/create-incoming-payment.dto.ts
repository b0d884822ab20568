import { Type } from 'class-transformer';
import { IsDefined, IsEmail, IsObject, IsOptional, ValidateNested } from 'class-validator';
import { amountProblem, minorUnitDigits, type Amount } from '../../values/money.js';
import { metadataProblem, type Metadata } from '../../values/metadata.js';
import { toInternationalPhone } from '../../values/phone-number.js';
import { secureUrlProblem } from '../../values/secure-url.js';
import { isTillNumber } from '../../values/till-number.js';
import { filled, Satisfies } from '../satisfies.decorator.js';

/**
 * In a host's own controller this rule runs without our settings, so it takes what could be a number once a default
 * country is known; the service then reads it for good, and sends the international form only.
 */
function phoneProblem(value: unknown): string | null {
  const national = typeof value === 'string' && /^\d[\d\s().-]{5,19}$/.test(value.trim());
  if (national || (typeof value === 'string' && toInternationalPhone(value) !== null)) return null;
  return 'must be a phone number in international form, such as +254700000001';
}

/** Who is asked to pay (spec 4.10). @publicApi */
export class SubscriberDto {
  @Satisfies(filled)
  firstName: string;

  @Satisfies(filled)
  lastName: string;

  /** International form with `+`; ways of writing of the default country are read when one is set. */
  @Satisfies(phoneProblem)
  phoneNumber: string;

  @IsOptional()
  @IsEmail({}, { message: '$property must be an e-mail address' })
  email?: string;
}

/** An amount to debit (spec 4.10). @publicApi */
export class AmountDto implements Amount {
  /** ISO 4217 code, such as `KES`. */
  @Satisfies((value) =>
    typeof value === 'string' && minorUnitDigits(value) !== null
      ? null
      : 'must be an ISO 4217 currency code in capitals, such as KES',
  )
  currency: string;

  /** Decimal string with as many decimals as the currency has at most: `"100.00"`. */
  @Satisfies((value, amount) => amountProblem(value, String(amount['currency'])))
  value: string;
}

/** A request to debit a subscriber (spec 4.10). @publicApi */
export class CreateIncomingPaymentDto {
  /** Name of the push-payment channel. @default the channel of the options */
  @IsOptional()
  @Satisfies(filled)
  paymentChannel?: string;

  /** Till, or online payment account starting with `K`. @default the till of the options */
  @IsOptional()
  @Satisfies((value) =>
    isTillNumber(value) ? null : 'must be digits, or K and digits for an online payment account',
  )
  tillNumber?: string;

  @IsDefined({ message: '$property is missing' })
  @IsObject({ message: '$property must be an object' })
  @ValidateNested()
  @Type(() => SubscriberDto)
  subscriber: SubscriberDto;

  @IsDefined({ message: '$property is missing' })
  @IsObject({ message: '$property must be an object' })
  @ValidateNested()
  @Type(() => AmountDto)
  amount: AmountDto;

  /** At most 5 keys; echoed with the result. */
  @IsOptional()
  @Satisfies(metadataProblem)
  metadata?: Metadata;

  /** Where the result is posted. @default our own (signed) callback URL */
  @IsOptional()
  @Satisfies(secureUrlProblem)
  callbackUrl?: string;
}
