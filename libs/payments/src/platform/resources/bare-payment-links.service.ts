import { Type } from 'class-transformer';
import { IsDefined, IsObject, IsOptional, ValidateNested } from 'class-validator';
import type { CurrentSettings } from '../../accounts/payments.settings.js';
import type { Amount } from '../../money/money.js';
import { tillNumberProblem } from '../../money/till-number.js';
import { timestampOf } from '../../money/timestamp.js';
import { referenceOnly, type Transaction } from '../../money/transaction.js';
import { type Metadata, metadataProblem, secureUrlProblem } from '../../money/values.js';
import { Concealed, filled, Satisfies, validateInput } from '../../runtime/validate-input.js';
import { type BareCallbacks, tillOf, tillOfAnother } from '../bare-requests.js';
import { AmountDto } from '../input.dto.js';
import type { CreatedResource, PlatformClient } from '../platform-client.js';
import { attemptResource, createResource, getResource } from '../resource-requests.js';
import {
  at,
  type Fields,
  metadata,
  part,
  type ResourceTable,
  type Shown,
  type ShownFields,
  text,
  texts,
} from '../resource-table.js';
import type { CreateOutcome, Sending } from '../sending.js';
import { readPayer } from '../transaction.resource.js';
import { readAmount, resourceId, toWireRequest, type WireObject, wireText } from '../wire-value.js';

/**
 * The bare resource: links at which customers can pay, without idempotency key and without following the outcome.
 * @see docs/conformance.md#payment-links
 * @publicApi
 */
@Concealed()
export class BarePaymentLinksService {
  constructor(
    private readonly client: PlatformClient,
    private readonly callbacks: BareCallbacks,
    private readonly settings: CurrentSettings,
  ) {}

  /**
   * Creates a link. Nobody is charged until a customer pays at it. The platform posts the result to `callbackUrl`. When it posts to our
   * own URL, we emit `bare-payment-link.completed`.
   * @returns the id and the URL of the new resource; read it with `get(id)` for the URL at which the customer pays
   * @throws PaymentsValidationError when the input is wrong, or there is no till; nothing was sent
   * @throws PlatformRejectedError when the platform refused; there is no link
   * @throws PlatformUnreachableError | PlatformTimeoutError | PlatformUnauthorizedError | PlatformRateLimitedError | PlatformRedirectError |
   * InterceptedRequestError | AccountRemovedError | SendingPausedError | StoreUnavailableError when it was certainly not processed, for as long as `sending.sendBeforeMs` (60 s)
   * @throws UnknownOutcomeError when there may be a link: after a repeat there may be two, of which nobody knows the first
   * @example
   * const { id } = await links.create({ amount: { currency: 'KES', value: '100.00' }, paymentReference: 'order-1042' });
   */
  async create(dto: CreatePaymentLinkDto): Promise<CreatedResource> {
    const checked = validateInput(CreatePaymentLinkDto, dto);
    await this.client.upToDate();
    const callbackUrl = this.callbacks.urlOf('payment-links', checked.callbackUrl);
    const complete = this.complete(checked, callbackUrl);
    const other = tillOfAnother(complete.tillNumber, this.settings.current);
    if (other) throw other;
    return createResource(this.client, PAYMENT_LINK, toWirePaymentLink(complete));
  }

  /**
   * Reads a link. Nobody is charged.
   * @throws PlatformRejectedError with status 404 when the platform does not have the id
   * @throws PlatformUnavailableError | PlatformTimeoutError | PlatformUnreachableError after several attempts
   */
  get(id: string): Promise<PaymentLinkResource> {
    return getResource(this.client, PAYMENT_LINK, id);
  }

  /**
   * Cancels a link: nobody can pay at it any more. Money that was paid before stays paid, so read the link afterwards. No money moves, and
   * cancelling twice does not differ from once: an attempt without an answer is repeated, and you can call it again after any error.
   * @throws PlatformRejectedError when the platform refused. An earlier attempt, whose answer was lost, may have cancelled the link, or a
   * customer may have paid: read the link
   * @throws PlatformUnavailableError | PlatformTimeoutError | PlatformUnreachableError after several attempts; the link may be cancelled
   * @example
   * await links.cancel(id);
   * const { link } = await links.get(id);
   */
  async cancel(id: string): Promise<void> {
    await this.client.command(
      'cancel payment link',
      `${PAYMENT_LINK.path}/${resourceId(id)}/cancel`,
    );
  }

  /**
   * Sends a request that is complete and recorded, within a time limit.
   * @internal
   */
  post(request: CompletePaymentLink, sending: Sending): Promise<CreateOutcome> {
    return attemptResource(this.client, PAYMENT_LINK, toWirePaymentLink(request), sending);
  }

  /**
   * Fills in the defaults of the options. The fields of the request must be checked before.
   * @throws PaymentsValidationError when there is no default till
   * @internal
   */
  complete(checked: CreatePaymentLinkDto, callbackUrl: string): CompletePaymentLink {
    const { amount, paymentReference, note, metadata } = checked;
    return {
      tillNumber: tillOf(checked.tillNumber, this.settings.current),
      amount: { currency: amount.currency, value: amount.value },
      ...(paymentReference != null && { paymentReference }),
      ...(note != null && { note }),
      ...(metadata && { metadata }),
      callbackUrl,
    };
  }
}

/**
 * A request for a link at which a customer can pay.
 * @see docs/conformance.md#payment-links
 * @publicApi
 */
export class CreatePaymentLinkDto {
  /** Till number to which the money goes. @default the option `tillNumber` */
  @IsOptional()
  @Satisfies(tillNumberProblem)
  tillNumber?: string;

  @IsDefined({ message: '$property is missing' })
  @IsObject({ message: '$property must be an object' })
  @ValidateNested()
  @Type(() => AmountDto)
  amount: AmountDto;

  /** The host's own reference, such as the number of an order. */
  @IsOptional()
  @Satisfies(filled)
  paymentReference?: string;

  /** A text for the customer. */
  @IsOptional()
  @Satisfies(filled)
  note?: string;

  /** The host's own data, at most 5 keys. The platform sends it back with the result. */
  @IsOptional()
  @Satisfies(metadataProblem)
  metadata?: Metadata;

  /**
   * `https:` URL to which the platform posts the result. With another URL than the default we emit no event for it.
   * @default our callback URL
   */
  @IsOptional()
  @Satisfies(secureUrlProblem)
  callbackUrl?: string;
}

const DETAIL_FIELDS = {
  /** `Active` or `active`: it can be paid. `Paid`: the money came. */
  status: (wire): string | null =>
    // The platform names it `status` only once the link was paid.
    wireText(wire['status']) ?? wireText(wire['payment_link_status']),
  /** ISO 8601, as the platform wrote it. */
  expiresAt: text,
  /** The address at which the customer pays, as the platform wrote it: a full URL, or a path such as `/links/1`. */
  url: at('link', text),
  /** Reference of the transaction that paid it. */
  transactionReference: text,
  /** Returns the number of the customer who paid; null when the platform shows something that is no phone number. */
  senderPhoneNumber: (wire): string | null =>
    readPayer(wireText(wire['sender_phone_number']), null).senderPhoneNumber,
  /** Returns the time when the customer paid: ISO 8601, as the platform wrote it. */
  originationTime: (wire, field, latest): string | null => timestampOf(wire[field], latest),
  /** The name of whoever created the link. */
  initiatorName: text,
} satisfies Fields;

/** The link itself, as the platform shows it. A field that the platform did not send is null. @publicApi */
export interface PaymentLinkDetails extends ShownFields<typeof DETAIL_FIELDS> {}

export const PAYMENT_LINK = {
  noun: 'payment link',
  path: '/api/v2/payment_links',
  types: ['payment_link'],
  callback: 'payment-links',
  fields: {
    /** `Processed` says that the platform made the link, not that it was paid: read `link.status`. */
    status: text,
    /** ISO 8601, as the platform wrote it. */
    createdAt: text,
    tillName: text,
    /** Till number as the platform wrote it; it may be an alias. */
    tillNumber: text,
    /** Returns the amount to pay; null when the platform sent no readable amount with a currency. */
    amount: (wire): Amount | null => readAmount(wire['currency'], wire['amount']),
    paymentReference: text,
    note: text,
    /** The link itself; null until there is one. */
    link: at('payment_link', part<PaymentLinkDetails>(DETAIL_FIELDS)),
    /** The platform's error messages; empty when it sent none. */
    errors: texts,
    /** The metadata of the request. */
    metadata,
  },
} satisfies ResourceTable;

/**
 * A payment link as the platform shows it. A field that the platform did not send is null.
 * @see docs/conformance.md#payment-links
 * @publicApi
 */
export interface PaymentLinkResource extends Shown<typeof PAYMENT_LINK> {}

/** Statuses of a link at which nobody can pay any more. */
const OVER = ['paid', 'cancelled', 'expired'];

/** True when the link was paid, cancelled or has expired. A status that we do not know is not final. */
export function isOver(resource: PaymentLinkResource): boolean {
  return OVER.includes(statusOf(resource) ?? '');
}

/** Returns the status of the link itself, as we compare it, because the platform writes the same one in several ways; null when it shows none. */
export function statusOf({ link }: PaymentLinkResource): string | null {
  return link?.status?.trim().toLowerCase() ?? null;
}

/** Returns the transaction that paid, as far as the link shows it; null when nobody has paid. */
export function transactionOf({
  link,
  tillNumber,
  amount,
}: PaymentLinkResource): Transaction | null {
  const reference = link?.transactionReference?.trim();
  if (!link || !reference) return null;
  const { senderPhoneNumber, originationTime } = link;
  const shown = referenceOnly(amount ?? { currency: '', value: '' }, tillNumber, reference);
  const unreadable = amount ? {} : { amount: null, currency: null };
  return { ...shown, ...unreadable, senderPhoneNumber, originationTime };
}

/** A request with its till and callback URL. */
interface CompletePaymentLink {
  tillNumber: string;
  amount: Amount;
  paymentReference?: string;
  note?: string;
  metadata?: Metadata;
  callbackUrl: string;
}

function toWirePaymentLink(request: CompletePaymentLink): WireObject {
  const { tillNumber, amount, paymentReference, note, metadata, callbackUrl } = request;
  return toWireRequest(
    {
      tillNumber,
      currency: amount.currency,
      // A JSON number, as the platform's examples have it. `amountProblem` refuses amounts that it cannot carry exactly.
      amount: Number(amount.value),
      paymentReference,
      note,
      metadata,
    },
    callbackUrl,
  );
}
