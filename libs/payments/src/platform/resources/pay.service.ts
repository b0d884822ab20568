import { Type } from 'class-transformer';
import { IsDefined, IsIn, IsObject, IsOptional, ValidateNested } from 'class-validator';
import type { CurrentSettings } from '../../accounts/payments.settings.js';
import { type Metadata, metadataProblem, secureUrlProblem } from '../../money/values.js';
import { Concealed, filled, Satisfies, validateInput } from '../../runtime/validate-input.js';
import { assertBareCreates, type BareCallbacks } from '../bare-requests.js';
import { AmountDto } from '../input.dto.js';
import type { CreatedResource, PlatformClient } from '../platform-client.js';
import { createResource, getResource } from '../resource-requests.js';
import { metadata, type ResourceTable } from '../resource-table.js';
import { type Transfer, TRANSFER_FIELDS } from '../transfer-batch.resource.js';
import { toWireAmount, toWireRequest } from '../wire-value.js';

/**
 * The bare resource: pays a recipient, without idempotency key and without following the outcome.
 * @deprecated The platform replaced it: use `SendMoneyService`.
 * @see docs/conformance.md#pay
 * @publicApi
 */
@Concealed()
export class PayService {
  constructor(
    private readonly client: PlatformClient,
    private readonly callbacks: BareCallbacks,
    private readonly settings: CurrentSettings,
  ) {}

  /**
   * Pays a recipient: each call that succeeds can move the money once. The platform posts the results to `callbackUrl`. When it posts to
   * our own URL, we emit `pay.completed`.
   * @returns the id and the URL of the new resource
   * @throws PaymentsValidationError when the input is wrong; nothing was sent
   * @throws PayoutLimitError when the account has `payouts.limits`, which this call would pass; nothing was sent
   * @throws PlatformRejectedError when the platform refused; no money moves
   * @throws PlatformUnreachableError | PlatformTimeoutError | PlatformUnauthorizedError | PlatformRateLimitedError | PlatformRedirectError |
   * InterceptedRequestError | AccountRemovedError | SendingPausedError | StoreUnavailableError when it was certainly not processed, for as long as `sending.sendBeforeMs` (60 s)
   * @throws UnknownOutcomeError when the recipient may have been paid: do not send it again
   * @example
   * const { id } = await pay.create({
   *   destinationType: 'mobile_wallet',
   *   destinationReference: 'recipient-1',
   *   amount: { currency: 'KES', value: '1000.00' },
   *   description: 'Wages',
   * });
   */
  async create(dto: CreatePayDto): Promise<CreatedResource> {
    assertBareCreates(this.settings.current);
    const { callbackUrl, ...pay } = validateInput(CreatePayDto, dto);
    const fields = { ...pay, amount: toWireAmount(pay.amount) };
    const body = toWireRequest(fields, this.callbacks.urlOf('pay', callbackUrl));
    return createResource(this.client, PAY, body);
  }

  /**
   * Reads a payment to a recipient. No money moves.
   * @throws PlatformRejectedError with status 404 when the platform does not have the id
   * @throws PlatformUnavailableError | PlatformTimeoutError | PlatformUnreachableError after several attempts
   */
  get(id: string): Promise<Pay> {
    return getResource(this.client, PAY, id);
  }
}

const RECIPIENT_TYPES = ['mobile_wallet', 'bank_account', 'till', 'paybill'] as const;

/**
 * A request to pay a recipient.
 * @see docs/conformance.md#pay
 * @publicApi
 */
export class CreatePayDto {
  /** Type of the recipient. */
  @IsIn(RECIPIENT_TYPES, { message: `$property must be one of ${RECIPIENT_TYPES.join(', ')}` })
  destinationType: (typeof RECIPIENT_TYPES)[number];

  /** The `recipientReference` of the recipient. */
  @Satisfies((value) =>
    value === 'Unavailable'
      ? 'must be the reference of a recipient, which the dashboard of the platform shows: "Unavailable" is none'
      : filled(value, {}),
  )
  destinationReference: string;

  @IsDefined({ message: '$property is missing: say how much to pay' })
  @IsObject({ message: '$property must be an object' })
  @ValidateNested()
  @Type(() => AmountDto)
  amount: AmountDto;

  /** Says what the money is for. */
  @Satisfies(filled)
  description: string;

  @IsOptional()
  @Satisfies(filled)
  category?: string;

  /** A text, or a list of texts. */
  @IsOptional()
  @Satisfies((value) => {
    const tags: unknown[] = Array.isArray(value) ? value : [value];
    return tags.length > 0 && tags.every((tag) => filled(tag, {}) === null)
      ? null
      : 'must be a text that is not empty, or a list of such texts';
  })
  tags?: string | readonly string[];

  /** The host's own data, at most 5 keys. The platform sends it back with the result. */
  @IsOptional()
  @Satisfies(metadataProblem)
  metadata?: Metadata;

  /**
   * `https:` URL to which the platform posts the results. With another URL than the default we emit no event for them.
   * @default our callback URL
   */
  @IsOptional()
  @Satisfies(secureUrlProblem)
  callbackUrl?: string;
}

export const PAY = {
  noun: 'pay',
  path: '/api/v1/payments',
  types: ['payment'],
  callback: 'pay',
  fields: { ...TRANSFER_FIELDS, metadata },
} satisfies ResourceTable;

/**
 * A payment to a recipient as the platform shows it. A field that the platform did not send is null.
 * @see docs/conformance.md#pay
 * @publicApi
 */
export interface Pay extends Transfer {
  /** The metadata of the request. */
  metadata: Metadata | null;
}
