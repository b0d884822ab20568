import { IsOptional, Matches } from 'class-validator';
import { isTillNumber } from '../../money/till-number.js';
import { isTimestamp, readTimestamp } from '../../money/timestamp.js';
import type { Transaction } from '../../money/transaction.js';
import { secureUrlProblem } from '../../money/values.js';
import { LIMITS } from '../../payments-defaults.js';
import { Concealed, type Problem, Satisfies, validateInput } from '../../runtime/validate-input.js';
import type { BareCallbacks } from '../bare-requests.js';
import type { CreatedResource, PlatformClient } from '../platform-client.js';
import { createResource, getResource } from '../resource-requests.js';
import { type ResourceTable, type Shown, text } from '../resource-table.js';
import { readTransaction } from '../transaction.resource.js';
import { toWireRequest, wireObject, type WireObject, wireText } from '../wire-value.js';

/**
 * Lists the transactions of a time window. No money moves.
 * @see docs/conformance.md#polling
 * @publicApi
 */
@Concealed()
export class PollingService {
  constructor(
    private readonly client: PlatformClient,
    private readonly callbacks: BareCallbacks,
    private readonly awaitResult: (id: string) => void,
  ) {}

  /**
   * Requests the transactions of a window. The platform posts the result to `callbackUrl`. If that is our own URL, we emit `polling.completed`.
   * A result that does not come, for example because a proxy refuses it as too large, is read after 30 s; one that is larger than 8 MB emits no
   * event: read it with `get(id)`. No money moves.
   * @returns the id and the URL of the new resource; read it with `get(id)`
   * @throws PaymentsValidationError when the input is wrong; nothing was sent
   * @throws PlatformRejectedError when the platform refused
   * @throws PlatformUnreachableError | PlatformTimeoutError | PlatformUnauthorizedError | PlatformRateLimitedError | PlatformRedirectError |
   * InterceptedRequestError | AccountRemovedError | SendingPausedError | StoreUnavailableError when it was certainly not processed, for as long as `sending.sendBeforeMs` (60 s)
   * @throws UnknownOutcomeError when the platform may have processed the request; a repeat does no harm
   * @example
   * const { id } = await polling.create({ fromTime: '2026-01-31T08:00:00+03:00', toTime: '2026-01-31T09:00:00+03:00' });
   */
  async create(dto: CreatePollingDto): Promise<CreatedResource> {
    const checked = validateInput(CreatePollingDto, dto);
    const created = await this.post(checked, this.callbacks.urlOf('polling', checked.callbackUrl));
    if (checked.callbackUrl === undefined) this.awaitResult(created.id);
    return created;
  }

  /**
   * Sends a request whose fields were checked.
   * @internal
   */
  post(polling: CreatePollingDto, callbackUrl: string): Promise<CreatedResource> {
    const { scope, scopeReference, fromTime, toTime } = polling;
    const fields = {
      scope: scope ?? 'company',
      scopeReference: scopeReference ?? '',
      fromTime,
      toTime,
    };
    return createResource(this.client, POLLING, toWireRequest(fields, callbackUrl));
  }

  /**
   * Reads a polling request. Its transactions are complete when its status is `Success`.
   * @throws PlatformRejectedError with status 404 when the platform does not have the id, or not yet
   * @throws PlatformAnswerTooLargeError when the answer is larger than 80 MB
   */
  get(id: string): Promise<Polling> {
    return getResource(this.client, POLLING, id, LIMITS.pollingResultBytes);
  }
}

const timestamp: Problem = (value) =>
  isTimestamp(value)
    ? null
    : 'must be an ISO 8601 timestamp with an offset, such as 2026-01-31T08:00:00+03:00';

/**
 * A request to list the transactions of a time window.
 * @see docs/conformance.md#polling
 * @publicApi
 */
export class CreatePollingDto {
  /** `company` for all tills, `till` for one. @default 'company' */
  @IsOptional()
  @Matches(/^[a-z]+$/, { message: '$property must be a scope such as company or till' })
  scope?: string;

  /** Till number for the scope `till`; empty for `company`. @default '' */
  @IsOptional()
  @Satisfies((value, { scope }) => {
    if (scope === 'till')
      return isTillNumber(value) ? null : 'must be the till number, since scope is till';
    return typeof value === 'string' ? null : 'must be a text';
  })
  scopeReference?: string;

  /** Start of the window, ISO 8601 with an offset: `2026-01-31T08:00:00+03:00`. */
  @Satisfies(timestamp)
  fromTime: string;

  /** End of the window, ISO 8601 with an offset; it must be after `fromTime`. */
  @Satisfies((value, object) => {
    const from = readTimestamp(object['fromTime']);
    const to = readTimestamp(value);
    return timestamp(value, object) ?? (from && to && from >= to ? 'must be after fromTime' : null);
  })
  toTime: string;

  /**
   * `https:` URL to which the platform posts the result. With another URL than the default we emit no event.
   * @default our callback URL
   */
  @IsOptional()
  @Satisfies(secureUrlProblem)
  callbackUrl?: string;
}

export const POLLING = {
  noun: 'polling',
  path: '/api/{version}/polling',
  version: 'polling',
  types: ['polling'],
  purpose: 'read',
  callback: 'polling',
  fields: {
    /** `Success` when `transactions` is complete. */
    status: text,
    /** ISO 8601, as the platform wrote it; `fromTime` and `toTime` as well. */
    createdAt: text,
    fromTime: text,
    toTime: text,
    transactions: ({ transactions }, _, latest): Transaction[] =>
      itemsOf(transactions).flatMap(
        (item) => readTransaction(shownIn(item), wireObject(item)?.['type'], 'till', latest) ?? [],
      ),
    /** Items of the list that are no transactions, so that there is more money than `transactions` shows; 1 when the whole list is unreadable. */
    unreadable: ({ transactions, status }): number =>
      isNoList(transactions, wireText(status))
        ? 1
        : itemsOf(transactions).filter((item) => shownIn(item) === null).length,
    /** The scope as the platform returns it: `Company` for the requested `company`. */
    scope: text,
    scopeReference: text,
  },
} satisfies ResourceTable;

/**
 * The transactions of a time window. A field that the platform did not send is null.
 * @see docs/conformance.md#polling
 * @publicApi
 */
export interface Polling extends Shown<typeof POLLING> {}

function itemsOf(list: unknown): unknown[] {
  return Array.isArray(list) ? list : [];
}

/** One of these makes an item without `resource` a transaction. */
const FLAT_FIELDS = ['reference', 'amount', 'till_number'] as const;

/** Returns the transaction of an item: under `resource`, or the item itself. */
function shownIn(item: unknown): WireObject | null {
  const object = wireObject(item);
  if (!object) return null;
  const isFlat = object['resource'] === undefined && FLAT_FIELDS.some((name) => name in object);
  return isFlat ? object : wireObject(object['resource']);
}

/** True when the list is missing, or something else stands in its place. Before its end, a polling has no list. */
function isNoList(list: unknown, status: string | null): boolean {
  return !Array.isArray(list) && ((list ?? null) !== null || status === 'Success');
}
