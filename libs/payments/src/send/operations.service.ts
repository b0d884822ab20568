import { distinctUntilChanged, filter, map, type Observable, takeWhile } from 'rxjs';
import type { CurrentSettings } from '../accounts/payments.settings.js';
import type { Ledger } from '../ledger/ledger.js';
import { isFinal, isOpen, isSettled, sentForMs } from '../ledger/operation-states.js';
import { assertRipe, noteLine, notResolvable, type OperationNote } from '../ledger/resolution.js';
import type { WatchedOperations } from '../ledger/watched-operations.js';
import { AccountRemovedError } from '../account.errors.js';
import {
  IdempotencyConflictError,
  OperationNotFoundError,
  SettleTimeoutError,
} from '../operation.errors.js';
import {
  OperationOutcomeUnknownError,
  PaymentsValidationError,
  StoreUnavailableError,
} from '../payments.errors.js';
import { PlatformRejectedError } from '../platform.errors.js';
import { type Attempt, sendingTime } from '../platform/sending.js';
import { SECOND } from '../runtime/clock.js';
import { ATTRIBUTE } from '../runtime/telemetry/metrics-list.js';
import { inSpan } from '../runtime/telemetry/spans.js';
import type { StoredHistoryEntry } from '../store/ledger.store.js';
import type {
  NewOperation,
  Operation,
  OperationFacts,
  OperationKey,
  OperationState,
} from '../store/operation.js';
import type { HostTransaction } from '../store/host-transaction.js';
import type { OperationsStore, RecordOptions, RefusedRecord } from '../store/operations.store.js';
import type { OperationRecorder } from './operation-recorder.js';

/** Default `timeoutMs` of `settled()`. */
const SETTLED_WITHIN_MS = 120 * SECOND;

/** The inputs of all kinds have these fields. */
interface Requested {
  readonly idempotencyKey: string;
  readonly sendBeforeMs?: number | undefined;
}

/** Hosts call these methods for operations of every kind. */
export abstract class OperationsService<
  O extends Operation,
  P extends OperationFacts<OperationState>,
  New extends NewOperation,
> {
  /** The `kind` of its operations. */
  protected abstract readonly kind: string;
  /** The kind in a text. */
  protected abstract readonly noun: string;
  /** The fields that decide whether two requests are the same, as text. */
  protected abstract readonly compared: string;

  constructor(
    protected readonly store: OperationsStore<O>,
    protected readonly ledger: Ledger<O>,
    protected readonly recorder: OperationRecorder<O>,
    protected readonly watched: WatchedOperations<O>,
    protected readonly settings: CurrentSettings,
  ) {}

  /** Returns the public form of a record. */
  protected abstract present(record: O): P;

  /** True when a request is the one for which an operation was recorded. */
  protected abstract isSameRequest(recorded: O, request: New): boolean;

  /** Returns the error that refuses a request, because of another operation or a limit. */
  protected abstract refusal(result: RefusedRecord, request: New): Error;

  /**
   * Finds an operation by its id; null when this account has none of this kind with it.
   * @throws StoreUnavailableError when the store does not answer
   */
  async find(id: string): Promise<P | null> {
    const record = await this.recordOf(id);
    return record && this.present(record);
  }

  /**
   * Finds an operation by its idempotency key; null when nothing of this kind was recorded for the key. Then nothing was sent for it
   * either.
   * @throws StoreUnavailableError when the store does not answer
   */
  async findByIdempotencyKey(key: string): Promise<P | null> {
    const { account } = this.settings.current;
    const record = await this.store.findByIdempotencyKey(account, this.kind, key);
    return record && this.present(record);
  }

  /**
   * Lists what happened to an operation, oldest first, each entry with the source of its evidence; nothing when this account has none of
   * this kind with the id.
   * @throws StoreUnavailableError when the store does not answer
   */
  async history(id: string): Promise<StoredHistoryEntry[]> {
    if (!(await this.recordOf(id))) return [];
    return this.store.history(this.settings.current.account, id);
  }

  /**
   * Writes a note of a person into the operation's history. It changes no state and emits no event. Retention deletes the note with the
   * rest of the history.
   * @throws OperationNotFoundError when this account has no such operation
   * @throws PaymentsValidationError when `by` or `note` is missing, or the note has more than 500 characters
   */
  async note(id: string, given: OperationNote): Promise<P> {
    const note = noteLine(given);
    const operation = await this.existing(id);
    const change = { via: 'review', set: {}, note } as const;
    return this.present(await this.ledger.change(operation, () => change));
  }

  /**
   * Reads the operation from the platform now, and applies what it shows; the events that follow are emitted as always. Nothing is read
   * while its id at the platform is not known.
   * @throws OperationNotFoundError when this account has no such operation
   * @throws PlatformError | PlatformUnreachableError | PlatformTimeoutError when the platform gives no usable answer
   * @throws CircuitOpenError while requests to the platform wait
   */
  async check(id: string): Promise<P> {
    return this.present(await this.watched.check(await this.existing(id)));
  }

  /**
   * Resolves when the operation is final or `needs_review`.
   * @param options.timeoutMs milliseconds to wait. @default 120000
   * @throws SettleTimeoutError after that; the operation itself goes on
   * @throws OperationNotFoundError when this account has no such operation
   */
  async settled(
    id: string,
    { timeoutMs = SETTLED_WITHIN_MS }: { timeoutMs?: number } = {},
  ): Promise<P> {
    const settled$ = this.watch(id).pipe(filter(({ state }) => isSettled(state)));
    const { first, waitedMs } = await this.watched.firstOf(settled$, timeoutMs);
    if (first) return first;
    // The time is over, or the application closes and the stream ended without an outcome.
    const current = await this.find(id).catch(() => null);
    throw new SettleTimeoutError(this.noun, id, current?.state ?? 'unknown', waitedMs);
  }

  /**
   * The operation now and after each change, for `@Sse()`. Completes when it is final, or when the application closes; an
   * operation in review stays watched. An id that is not there is an error of the stream; a store that is away for a while is
   * not: the stream goes on when it is back. A slow reader misses states in between, never the last one.
   * @example
   * \@Sse('orders/:id/payment')
   * follow(\@Param('id') id: string) {
   *   return this.payments.watch(id).pipe(map(({ state }) => ({ data: { state } })));
   * }
   */
  watch(id: string): Observable<P> {
    return this.watched.watch(this.keyOf(id)).pipe(
      map((record) => {
        if (record?.kind !== this.kind) throw new OperationNotFoundError(this.noun, id);
        return this.present(record);
      }),
      distinctUntilChanged<P>(isSame),
      takeWhile(({ state }) => !isSettled(state) || state === 'needs_review', true),
    );
  }

  /** Records an operation during the call of the host, and sends it there. */
  protected requestOnce(
    prepare: () => Promise<New> | New,
    input: Requested,
    options: Pick<RecordOptions, 'isHeld'> = {},
  ): Promise<O> {
    return this.traced(`request ${this.kind}`, async () => {
      await this.upToDate();
      return this.orOutcomeUnknown(input?.idempotencyKey, async () => {
        const request = await prepare();
        const sendBeforeMs = sendingTime(input.sendBeforeMs, this.settings.current.sending);
        const attempt = this.recorder.begin({ ...request, sendWithinMs: sendBeforeMs });
        const operation = await this.recordOnce(request, { ...options, sendBeforeMs }, attempt);
        return this.mustBeSent(operation, attempt)
          ? this.recorder.send(operation, attempt)
          : operation;
      });
    });
  }

  /** Records in a span of its own: the operation keeps it, so that what follows can be linked with it. */
  private traced(name: string, work: () => Promise<O>): Promise<O> {
    const attributes = {
      [ATTRIBUTE.account]: this.settings.current.account,
      [ATTRIBUTE.operationKind]: this.kind,
    };
    return inSpan({ name, kind: 'internal', attributes }, async (span) => {
      const operation = await work();
      span.set({
        [ATTRIBUTE.operationId]: operation.id,
        [ATTRIBUTE.operationState]: operation.state,
      });
      return operation;
    });
  }

  /**
   * True when this call must send the operation: it has recorded it, or it repeats a request that was not sent. Of several repeats only the first
   * sends it.
   */
  private mustBeSent({ state, inBackground, sendWithinMs, sender }: O, attempt: Attempt): boolean {
    const isUnsent = state === 'created' && !inBackground && sendWithinMs > 0;
    return sender === attempt.sender || (isUnsent && !this.settings.current.isRemoved);
  }

  /** Waits until the settings of the account are not too old: it may have been removed, or have another till. */
  protected upToDate(): Promise<void> {
    return this.recorder.upToDate(this.settings.current.account);
  }

  /** Records an operation inside the transaction of the host. */
  protected async recordInTransaction(
    prepare: () => Promise<New> | New,
    input: Requested,
    options: { transaction: HostTransaction } | undefined,
    more: Pick<RecordOptions, 'isHeld'> = {},
  ): Promise<O> {
    const transaction = options?.transaction;
    if (!transaction) {
      throw new PaymentsValidationError([
        {
          field: 'transaction',
          problem:
            'is missing: record() writes inside your own database transaction. Outside one, use request()',
        },
      ]);
    }
    await this.upToDate();
    return this.traced(`record ${this.kind}`, () =>
      this.orOutcomeUnknown(input?.idempotencyKey, async () => {
        const request = await prepare();
        const sendBeforeMs = sendingTime(input.sendBeforeMs, this.settings.current.sending);
        const operation = await this.recordOnce(request, { ...more, transaction, sendBeforeMs });
        this.recorder.sendSoon();
        return operation;
      }),
    );
  }

  /** Applies a person's decision, see `decideAfterRead`. */
  protected async decide(
    id: string,
    decided: OperationState,
    apply: (operation: O) => Promise<O>,
  ): Promise<O> {
    const { sendBeforeMs } = this.settings.current.sending;
    const operation = await this.existing(id);
    return decideAfterRead(operation, { decided, apply, watched: this.watched, sendBeforeMs });
  }

  /** @throws OperationNotFoundError when this account has no operation of this kind with the id */
  protected async existing(id: string): Promise<O> {
    const record = await this.recordOf(id);
    if (!record) throw new OperationNotFoundError(this.noun, id);
    return record;
  }

  protected keyOf(id: string): OperationKey {
    return { account: this.settings.current.account, id };
  }

  private async recordOf(id: string): Promise<O | null> {
    const record = await this.store.find(this.settings.current.account, id);
    return record?.kind === this.kind ? record : null;
  }

  private async recordOnce(request: New, how: RecordOptions, attempt?: Attempt): Promise<O> {
    const refusal = this.settings.current.isRemoved
      ? new AccountRemovedError(request.account)
      : this.ignoredMoney(request);
    if (refusal) return this.recordedBefore(request, refusal);
    const result = await this.recorder.record(request, how, attempt);
    if (result.kind === 'needs_approval')
      return this.recordOnce(this.held(request), { ...how, isHeld: true });
    if (!('operation' in result)) throw this.refusal(result, request);
    const { kind, operation } = result;
    return kind === 'existing' ? this.sameAs(operation, request) : operation;
  }

  /** Returns a request that must wait for a second person, because of what others have asked for. */
  protected held(_request: New): New {
    throw new Error(`a ${this.noun} needs no approval`);
  }

  /** Returns the error of a new request whose money the account would ignore; null for any other. */
  protected ignoredMoney(_request: New): Error | null {
    return null;
  }

  /** A repeat of an earlier request gets the operation of that request, also when the repeat would be refused now. */
  private async recordedBefore(request: New, refusal: Error): Promise<O> {
    const { account, kind, idempotencyKey } = request;
    const before = await this.store.findByIdempotencyKey(account, kind, idempotencyKey);
    if (!before) throw refusal;
    return this.sameAs(before, request);
  }

  /** @throws IdempotencyConflictError when the recorded operation is not the one that is requested */
  private sameAs(recorded: O, request: New): O {
    if (this.isSameRequest(recorded, request)) return recorded;
    const { idempotencyKey } = request;
    throw new IdempotencyConflictError(idempotencyKey, this.noun, recorded.id, this.compared);
  }

  /** Says of a store that failed in the middle what that means for the operation, and what to do. */
  protected async orOutcomeUnknown<T>(
    key: string,
    ask: () => Promise<T>,
    doubt?: string,
  ): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      if (error instanceof StoreUnavailableError)
        throw new OperationOutcomeUnknownError(this.noun, key, error, doubt);
      throw error;
    }
  }
}

/** True when a host sees no difference. */
function isSame<P>(one: P, other: P): boolean {
  const text = (shown: P): string => JSON.stringify({ ...shown, updatedAt: null });
  return text(one) === text(other);
}

interface PersonsDecision<O extends Operation> {
  decided: OperationState;
  apply: (operation: O) => Promise<O>;
  watched: WatchedOperations<O>;
  /** The time in which operations of the account may be sent. */
  sendBeforeMs: number;
}

/**
 * Applies a person's decision. An operation without an outcome is read first, also in review: the platform's present result wins, so that
 * nobody decides against it after an outage.
 * @throws OperationNotResolvableError when the platform may still say by itself what became of it, or says something else now
 * @throws PlatformError | PlatformUnreachableError | PlatformTimeoutError | CircuitOpenError when it could not be read: nothing is decided
 */
export async function decideAfterRead<O extends Operation>(
  operation: O,
  { decided, apply, watched, sendBeforeMs }: PersonsDecision<O>,
): Promise<O> {
  const { state } = operation;
  if (state === 'created' || isFinal(state)) return apply(operation);
  if (isOpen(state)) assertRipe(operation, sentForMs(operation, sendBeforeMs));
  const read = await watched.check(operation).catch((error: unknown) => {
    // The platform does not have it: that is no outcome.
    if (error instanceof PlatformRejectedError && error.status === 404) return operation;
    throw error;
  });
  if (read.state === decided) return read;
  if (!isFinal(read.state)) return apply(read);
  throw notResolvable(read, `the platform says now that it is ${read.state}: look at it again`);
}
