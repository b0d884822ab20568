import { Injectable } from '@nestjs/common';
import { StoreUnavailableError } from '../payments.errors.js';
import { SendingPausedError } from '../account.errors.js';
import type { NewOperation, Operation } from '../store/operation.js';
import {
  OperationsStore,
  type RecordOptions,
  type RecordResult,
} from '../store/operations.store.js';
import { RecentRecords } from '../ledger/recent-records.js';
import { LedgerSignals } from '../ledger/ledger-commits.js';
import { PausesStore } from '../store/pauses.store.js';
import type { Attempt } from '../platform/sending.js';
import { AccountRegistry } from '../accounts/account-registry.js';
import { Runtime } from '../runtime/clock.js';
import { currentTraceparent } from '../runtime/telemetry/spans.js';
import { OperationSender } from './operation-sender.js';

/** The time to send an operation that waits for approval lies a hundred years back, so that no clock that is set back lets it be sent. */
const NEVER_SENT_MS = -100 * 365 * 24 * 60 * 60_000;

/** Records the operation that a host requests, and has it sent: during the call, or soon in the background. */
@Injectable()
export class OperationRecorder<O extends Operation = Operation> {
  constructor(
    private readonly store: OperationsStore<O>,
    private readonly sender: OperationSender<O>,
    private readonly signals: LedgerSignals,
    private readonly pauses: PausesStore,
    private readonly accounts: AccountRegistry,
    private readonly known: RecentRecords<O>,
    private readonly runtime: Runtime,
  ) {}

  newId(): string {
    return this.runtime.id();
  }

  /** Loads an account again when it is old. */
  async upToDate(account: string): Promise<void> {
    await this.accounts.refreshOld(account);
  }

  /** @throws SendingPausedError while sending is paused for an account */
  async assertNotPaused(account: string): Promise<void> {
    const pause = await this.pauses.current(account);
    if (pause) throw new SendingPausedError(pause);
  }

  /**
   * Records an operation: for an attempt that can send it at once as `requested`, which saves the change that would follow.
   * @throws SendingPausedError when the store records nothing because sending is paused
   */
  async record(
    request: NewOperation,
    how: Omit<RecordOptions, 'mark'>,
    attempt?: Attempt,
  ): Promise<Exclude<RecordResult<O>, { kind: 'paused' }>> {
    const mark = how.isHeld ? undefined : attempt?.mark;
    const options = how.isHeld ? { ...how, sendBeforeMs: NEVER_SENT_MS } : { ...how, mark };
    const traceparent = currentTraceparent();
    const traced = traceparent === undefined ? request : { ...request, traceparent };
    const result = await this.recorded(traced, options);
    if (result.kind === 'paused') throw new SendingPausedError(result.pause);
    if (mark && result.kind === 'recorded') this.known.keep(result.operation);
    return result;
  }

  /**
   * With a mark, only this attempt can send what it has recorded. So if the answer is lost, it records once more, which waits for the first
   * recording and finds it.
   */
  private async recorded(request: NewOperation, options: RecordOptions): Promise<RecordResult<O>> {
    try {
      return await this.store.record(request, options);
    } catch (error) {
      const isLost = error instanceof StoreUnavailableError && !error.changedNothing;
      if (!isLost || !options.mark) throw error;
    }
    try {
      return await this.store.record(request, options);
    } catch (error) {
      this.sender.giveUp(request, options.mark.sender);
      throw error;
    }
  }

  /** Begins an attempt to send an operation before it is recorded. */
  begin(operation: Pick<O, 'account' | 'kind' | 'id' | 'sendWithinMs'>): Attempt {
    return this.sender.begin(operation);
  }

  send(operation: O, attempt: Attempt): Promise<O> {
    return this.sender.send(operation, attempt);
  }

  /** Sends an operation that may be sent at last: now, or soon if it was recorded for the background. */
  async sendApproved(operation: O): Promise<O> {
    if (!operation.inBackground) return this.sender.send(operation);
    this.sendSoon();
    return operation;
  }

  /** Has what is recorded for the background sent without a wait for the next look. */
  sendSoon(): void {
    this.signals.due$.next();
  }
}
