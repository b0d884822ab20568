import { Equals, IsEmail, IsOptional } from 'class-validator';
import type { CurrentSettings } from '../../accounts/payments.settings.js';
import { tillNumberProblem } from '../../money/till-number.js';
import { PaymentsValidationError } from '../../payments.errors.js';
import { checkVariant, Concealed, filled, Satisfies } from '../../runtime/validate-input.js';
import { internationalPhone, phoneProblem } from '../input.dto.js';
import type { CreatedResource, PlatformClient } from '../platform-client.js';
import { createResource, getResource } from '../resource-requests.js';
import { type ResourceTable, type Shown, text, textOr } from '../resource-table.js';
import { toWireFields } from '../wire-value.js';

/**
 * Recipients of money that the platform keeps. No money moves, and the platform posts no result. A recipient that was created with the
 * older `pay_recipients` is read too.
 * @see docs/conformance.md#external-recipients
 * @publicApi
 */
@Concealed()
export class ExternalRecipientsService {
  constructor(
    private readonly client: PlatformClient,
    private readonly settings: CurrentSettings,
  ) {}

  /**
   * Creates a recipient.
   * @returns the id and the URL of the new resource
   * @throws PaymentsValidationError when the input is wrong; nothing was sent
   * @throws PlatformRejectedError when the platform refused
   * @throws PlatformUnreachableError | PlatformTimeoutError | PlatformUnauthorizedError | PlatformRateLimitedError | PlatformRedirectError |
   * InterceptedRequestError | AccountRemovedError | SendingPausedError | StoreUnavailableError when it was certainly not processed, for as long as `sending.sendBeforeMs` (60 s)
   * @throws UnknownOutcomeError when it may have been created: after a repeat there may be two
   * @example
   * const { id } = await recipients.create({
   *   type: 'mobile_wallet',
   *   firstName: 'Jane',
   *   lastName: 'Doe',
   *   phoneNumber: '+254700000001',
   *   network: 'Safaricom',
   * });
   */
  async create(dto: CreateExternalRecipientDto): Promise<CreatedResource> {
    const { value, problems } = checkVariant(RECIPIENT_CLASSES, dto);
    if (value === null || problems.length > 0) throw new PaymentsValidationError(problems);
    if (value.type === 'mobile_wallet')
      value.phoneNumber = internationalPhone(value.phoneNumber, this.settings.current);
    const { type, ...fields } = value;
    const body = { type, external_recipient: toWireFields(fields) };
    return createResource(this.client, EXTERNAL_RECIPIENT, body);
  }

  /**
   * Reads a recipient.
   * @throws PlatformRejectedError with status 404 when the platform does not have the id
   */
  get(id: string): Promise<ExternalRecipient> {
    return getResource(this.client, EXTERNAL_RECIPIENT, id);
  }
}

/** Every recipient has these fields. */
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

  /** Banks transfer the money by this method: `EFT` or `RTS`. @default the platform's choice */
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
const RECIPIENT_CLASSES: ReadonlyMap<unknown, new () => CreateExternalRecipientDto> = new Map<
  unknown,
  new () => CreateExternalRecipientDto
>([
  ['mobile_wallet', MobileWalletRecipient],
  ['bank_account', BankAccountRecipient],
  ['till', TillRecipient],
  ['paybill', PaybillRecipient],
]);

const EXTERNAL_RECIPIENT = {
  noun: 'external recipient',
  path: '/api/v2/external_recipients',
  // The second is the type of the older `pay_recipients`.
  types: ['external_recipient', 'pay_recipient'],
  purpose: 'other',
  fields: {
    /** `Approved`, or another status. */
    status: text,
    /** The type as the platform writes it: `Mobile Wallet`, `Bank Account`, `Till`, `Paybill`. */
    recipientType: text,
    /** The platform's reference of the recipient. `Unavailable`: only the platform's own dashboard shows it. */
    recipientReference: text,
    accountAlias: text,
    firstName: text,
    lastName: text,
    phoneNumber: textOr('msisdn'),
    network: text,
    email: text,
    accountName: text,
    accountNumber: text,
    bankBranchRef: textOr('bank_branch_id'),
    settlementMethod: textOr('transfer_method'),
    tillName: text,
    tillNumber: text,
    paybillName: text,
    paybillNumber: text,
    paybillAccountNumber: text,
    nickname: text,
  },
} satisfies ResourceTable;

/**
 * A recipient of money as the platform shows it. A field that the platform did not send is null.
 * @see docs/conformance.md#external-recipients
 * @publicApi
 */
export interface ExternalRecipient extends Shown<typeof EXTERNAL_RECIPIENT> {}
