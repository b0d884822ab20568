import type { VerifiedDelivery } from '../../libs/payments/src/inbox/inbox.service.js';
import type { PlatformRequest } from '../../libs/payments/src/platform/http/platform-answer.js';
import type { OperationRecord } from '../../libs/payments/src/operations/operation-forms.js';
import type { Call } from './host.calls.js';
import { ACCOUNTS, markOf } from './history.accounts.js';
import type { Processes } from './history.processes.js';
import type { Simulation } from './history.simulation.js';
import { textOf, textsOf } from './memory-store.texts.js';
import { isCreate } from './platform.exchange.js';
import type { ReplicaAccount } from './replica.account.js';
import { changeIn, type WrittenEvent } from './store.observer.js';

/** Characters of a MAC at the end of a URL. */
const MAC_LENGTH = 43;

const IN_FLIGHT = new Set(['created', 'requested', 'pending', 'unknown']);

/** Characters around foreign data in a message. */
const CONTEXT = 80;

/**
 * Checks that nothing of one account has the name or the data of the other one. The data of each account has a mark that the other account
 * does not have. Their till and phone numbers, keys, ids and references are equal.
 */
export class CrossTalkChecker {
  /** The mark of the other account; null when there is none. */
  private readonly foreign: string | null;

  constructor(private readonly simulation: Simulation) {
    const other = ACCOUNTS.find((account) => account !== simulation.account);
    this.foreign = simulation.processes.plan.twin && other ? markOf(other) : null;
  }

  /** The simulation calls this when the platform of this account receives a request. */
  requested(request: PlatformRequest): void {
    if (this.foreign === null) return;
    const { path, accessToken, body } = request;
    this.check(`a request to ${path}`, `${path} ${accessToken ?? ''} ${body?.text ?? ''}`);
    const isOwn = (text = ''): boolean => text.includes(this.simulation.mark);
    if (accessToken !== undefined && !isOwn(accessToken))
      this.violate(`a request to ${path} has a token that its platform did not give out`);
    if ((isCreate(request) || path === '/oauth/token') && !isOwn(body?.text))
      this.violate(`a request to ${path} does not have the data of its account`);
  }

  /** The simulation calls this when the platform of this account has posted a delivery. @param delivery null when it was refused */
  delivered(
    name: string,
    url: string,
    delivery: VerifiedDelivery | null,
    { options }: ReplicaAccount,
    isForged: boolean,
  ): void {
    if (delivery && delivery.account !== this.simulation.account)
      this.violate(`the URL of ${name} belongs to the account ${delivery.account}`);
    if (delivery || isForged) return;
    // A refusal is right only when the URL has no MAC, because it was given out while the account had an API key, and the account has no
    // key now.
    const hasMac = url.slice(url.lastIndexOf('/') + 1).length === MAC_LENGTH;
    if (options.apiKeys.length > 0 || hasMac)
      this.simulation.violate('valid delivery refused', `${name} was refused at ${url}`);
  }

  /** The simulation calls this when the host of this account got an answer. */
  answered(what: string, answer: unknown): void {
    this.check(what, answer);
    this.checkIds(what, Object.values(answer ?? {}));
  }

  /** The simulation calls this when a call of the host of this account ended in an error. */
  refused({ key, begunAt }: Call, error: unknown): void {
    if (!(error instanceof Error)) return;
    this.check(`the error of ${key}`, error.message);
    this.checkIds(`the error of ${key}`, Object.values(error));
    const { account, processes, scheduler } = this.simulation;
    if ((error as { code?: unknown }).code !== 'PAYMENTS_SENDING_PAUSED') return;
    this.simulation.reached('request refused by a pause');
    if (!processes.pauses.overlaps(account, begunAt, scheduler.now))
      this.simulation.violate('paused by another account', `${key} was refused: ${error.message}`);
  }

  /** The simulation calls this when a process calls the store for this account. */
  called(method: string, args: readonly unknown[]): void {
    const [first, second] = args as [{ id?: unknown } | string, unknown];
    const id = changeIn(method, args)?.operation?.id ?? (first as { id?: unknown }).id;
    const ids = Array.isArray(second) ? (second as unknown[]) : [];
    this.checkIds(`store.${method}`, [id, ...ids]);
  }

  operationChanged(key: string, record: OperationRecord): void {
    if (record.account !== this.simulation.account)
      this.violate(`${record.kind} ${key} has the account ${record.account}`);
    this.check(`${record.kind} ${key}`, record);
  }

  eventWritten({ id, name, payload }: WrittenEvent): void {
    const { account } = this.simulation;
    // PostgreSQL keeps the account beside the payload.
    if ((payload['account'] ?? account) !== account)
      this.violate(`${name} has the account ${String(payload['account'])}`);
    this.check(name, payload);
    const { other } = this;
    if (other?.observer.events.has(id))
      this.violate(`${name} has the id of an event of the account ${other.account}`);
  }

  listenerCalled(listener: string, payload: object): void {
    const { account } = payload as { account?: unknown };
    if (account !== this.simulation.account)
      this.violate(`${listener} receives an event of the account ${String(account)}`);
    this.check(`an event for ${listener}`, payload);
  }

  /** The simulation calls this when a listener call of this account was acknowledged. */
  callFinished(id: string): void {
    if (this.other?.checker.listeners.knows(id))
      this.violate('a listener call of the other account is acknowledged');
  }

  /** The simulation calls this when a process got the id of a new resource. */
  created(platformId: string): void {
    const { other } = this;
    if (!other) return;
    const { scheduler, platform } = other;
    if (platform.has(platformId)) this.simulation.reached('one platform id in two accounts');
    if (scheduler.now < other.platformAwayUntil)
      this.simulation.reached('one account is away and the other one pays');
  }

  /** The simulation calls this when an operation was recorded. */
  recorded({ kind, idempotencyKey: key }: OperationRecord): void {
    const same = this.other?.observer.operationOf(key);
    if (same?.kind === kind && IN_FLIGHT.has(same.state))
      this.simulation.reached('two accounts with the same payment at once');
  }

  /** The simulation calls this when money has moved to a till of this account. */
  moved(reference: string): void {
    if (this.other?.platform.moneys.some((money) => money.reference === reference))
      this.simulation.reached('one reference in two accounts');
  }

  /** The simulation calls this with the text of a stored row of this account. */
  stored(what: string, text: string): void {
    this.check(what, text);
  }

  private checkIds(what: string, values: readonly unknown[]): void {
    const { other } = this;
    const foreign = other && values.find((id) => other.observer.operations.has(id as string));
    if (foreign !== undefined)
      this.violate(`${what} names an operation of the other account: ${foreign as string}`);
  }

  /** The world of the other account. */
  private get other(): Simulation | undefined {
    return this.simulation.processes.worlds.find((world) => world !== this.simulation);
  }

  private check(what: string, value: unknown): void {
    const { foreign } = this;
    if (foreign === null || value === undefined || value === null) return;
    const text = typeof value === 'string' ? value : textOf(value);
    const at = text.indexOf(foreign);
    if (at < 0) return;
    const part = text.slice(Math.max(0, at - CONTEXT), at + CONTEXT);
    this.violate(`${what} has data of the other account: ${part}`);
  }

  private violate(what: string): void {
    this.simulation.violate('cross-talk', what);
  }
}

/** Checks every row of the memory store at the end of a history. */
export function checkStoredRows({ worlds, store }: Processes): void {
  for (const { account, crossTalk } of worlds) {
    for (const [what, text] of textsOf(store, account)) crossTalk.stored(what, text);
  }
}
