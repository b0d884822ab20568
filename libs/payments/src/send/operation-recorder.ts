import { Injectable } from '@nestjs/common';
import { SendingPausedError } from '../payments-account-errors.js';
import type { NewOperation, Operation } from '../store/operation.js';
import {
  OperationsStore,
  type RecordOptions,
  type RecordResult,
} from '../store/operations.store.js';
import { LedgerSignals } from '../ledger/ledger-signals.js';
import { PausesStore } from '../store/pauses.store.js';
import { KnownAccounts } from '../work/known-accounts.js';
import { Runtime } from '../work/runtime.js';
import { currentTraceparent } from '../work/telemetry/trace-parent.js';
import { TimeLimit } from '../work/time-limit.js';
import { OperationSender } from './operation-sender.js';

/** What waits for approval could have been sent only a hundred years ago, so that no clock that is set back lets it be sent. */
const NEVER_SENT_MS = -100 * 365 * 24 * 60 * 60_000;

/** Records what a host requests, and has it sent: during the call, or soon in the background. */
@Injectable()
export class OperationRecorder<O extends Operation = Operation> {
  constructor(
    private readonly store: OperationsStore<O>,
    private readonly sender: OperationSender<O>,
    private readonly signals: LedgerSignals,
    private readonly pauses: PausesStore,
    private readonly accounts: KnownAccounts,
    private readonly runtime: Runtime,
  ) {}

  /** The id of a new operation. */
  newId(): string {
    return this.runtime.id();
  }

  /** Loads an account again when it is old. */
  async upToDate(account: string): Promise<void> {
    await this.accounts.refreshOld(account);
  }

  /** @throws SendingPausedError while sending is paused for an account */
  async assertNotPaused(account: string): Promise<void> {
    const pause = await this.pauses.of(account);
    if (pause) throw new SendingPausedError(pause);
  }

  /** @throws SendingPausedError when the store records nothing because sending is paused */
  async record(
    request: NewOperation,
    how: RecordOptions,
  ): Promise<Exclude<RecordResult<O>, { kind: 'paused' }>> {
    const options = how.isHeld ? { ...how, sendBeforeMs: NEVER_SENT_MS } : how;
    const traceparent = currentTraceparent();
    const traced = traceparent === undefined ? request : { ...request, traceparent };
    const result = await this.store.record(traced, options);
    if (result.kind === 'paused') throw new SendingPausedError(result.pause);
    return result;
  }

  /** What sends an operation in a time that begins now, before it is recorded. */
  sendWithin(ms: number): (operation: O) => Promise<O> {
    const limit = new TimeLimit(this.runtime, ms);
    return (operation) => this.sender.send(operation, limit);
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
