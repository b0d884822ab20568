import {
  AccountHandles,
  PAYMENTS_OPTIONS,
  type PaymentsAccount,
} from '../../libs/payments/src/payments-account.js';
import { AccountReservationsService } from '../../libs/payments/src/accounts/account-reservations.service.js';
import type { InjectionToken } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { DeliveryAdmission } from '../../libs/payments/src/door/delivery-admission.js';
import { deliveryRouteOf } from '../../libs/payments/src/door/delivery-route.js';
import { Inbox, type VerifiedDelivery } from '../../libs/payments/src/inbox/inbox.service.js';
import { NearMisses } from '../../libs/payments/src/door/refusals.js';
import { RawBodyCapture } from '../../libs/payments/src/door/raw-body-capture.js';
import {
  SIGNATURE_HEADER,
  signDelivery,
  verifySignature,
} from '../../libs/payments/src/door/signature.js';
import {
  EmitterListener,
  ListenersExplorer,
} from '../../libs/payments/src/listeners/listeners-explorer.js';
import { EventDispatcher } from '../../libs/payments/src/listeners/event-dispatcher.js';
import { PlatformClocks } from '../../libs/payments/src/platform/platform-clock.js';
import { PlatformHttp } from '../../libs/payments/src/platform/http/platform-http.js';
import {
  BackgroundRequests,
  PlatformWaits,
} from '../../libs/payments/src/platform/background-requests.js';
import { AccountRegistry } from '../../libs/payments/src/accounts/account-registry.js';
import { PaymentsAccounts } from '../../libs/payments/src/payments-accounts.js';
import { ApplicationStore, CHOSEN_STORE } from '../../libs/payments/src/application.store.js';
import type { PaymentsOptions } from '../../libs/payments/src/payments.options.js';
import {
  PAYMENTS_SETTINGS,
  type PaymentsSettings,
} from '../../libs/payments/src/accounts/payments.settings.js';
import { Runtime } from '../../libs/payments/src/runtime/clock.js';
import { DueWorkFinder } from '../../libs/payments/src/queue/due-work-finder.js';
import { resolveSettings } from '../../libs/payments/src/accounts/settings.reader.js';
import type { LimitSetting } from './money-out.plan.js';
import { ReplicaGraph } from './replica.graph.js';
import { SimulatedHttp } from './simulated.http.js';
import { SimulatedListeners } from './simulated.listeners.js';
import { forDispatcher, forFinder, SimulatedRuntime } from './simulated.runtime.js';
import { simulatedStore } from './simulated.store.js';
import { markOf, type Account } from './history.accounts.js';
import type { Processes } from './history.processes.js';
import { ReplicaAccount } from './replica.account.js';
import { watchWaits } from './waits.checker.js';
import type { StepOwner } from './virtual.scheduler.js';

/** Settings of the host; all others have their defaults. */
export interface ReplicaSettings {
  aliases: Readonly<Record<string, string>>;
  /** The tills that the account lists; an empty list means all. */
  tills: readonly string[];
  verification: 'signature' | 'url' | 'both';
  sweepEveryMs: number;
  reviewAfterMs: number;
  requestsPerSecond: number;
  limits: LimitSetting;
}

const REPLACED: readonly InjectionToken[] = [
  Runtime,
  AccountRegistry,
  PlatformClocks,
  PlatformHttp,
  CHOSEN_STORE,
  ListenersExplorer,
  EmitterListener,
  PAYMENTS_SETTINGS,
  PAYMENTS_OPTIONS,
  ModuleRef,
  // A process without an HTTP server and a container does not need these.
  RawBodyCapture,
  NearMisses,
  ApplicationStore,
  // The accounts of a history contradict each other on purpose. Renewals every five minutes of virtual weeks would be half of the work.
  AccountReservationsService,
];

/** Returns the key that signs every delivery of an account. */
export function apiKeyOf(account: Account): string {
  return `the key of the shop ${markOf(account)}`;
}

/** The routes of an account are at these paths. */
export const PATHS: Readonly<Record<Account, string>> = {
  default: 'payments',
  twin: 'payments/of-twin',
};

/** Both accounts have the same till, although real accounts cannot. So any code that confuses the accounts breaks a rule. */
const BASE: PaymentsOptions = {
  baseUrl: 'https://platform.test',
  clientId: 'client of-default',
  clientSecret: 'secret of the client of-default',
  publicUrl: 'https://shop.test',
  apiKeys: [apiKeyOf('default')],
  tillNumber: '514459',
};

/** Returns the credentials of an account after some rotations, with the host to which they belong. */
export function credentialsOf(
  account: Account,
  generation: number,
): Pick<PaymentsSettings, 'baseUrl' | 'tokenBaseUrl' | 'clientId' | 'clientSecret'> {
  const baseUrl = `https://platform-${generation}.test`;
  return {
    baseUrl,
    tokenBaseUrl: baseUrl,
    clientId: `client-${generation} ${markOf(account)}`,
    clientSecret: `secret-${generation} of the client ${markOf(account)}`,
  };
}

let graph: ReplicaGraph | null = null;
const resolvedBySettings = new Map<string, PaymentsSettings>();

/** One process of a replica: the real objects of the library, with time, network, store and listeners simulated. */
export class SimulatedReplica implements StepOwner {
  alive = true;
  /** True when store calls run at once. While a real container starts, virtual time stands still. */
  isDirect = false;
  /** True when its lifecycle hooks have ended. */
  ready = false;
  /** Number of listener calls that run. */
  listening = 0;
  readonly runtime: SimulatedRuntime;
  inbox: Inbox;
  accounts: PaymentsAccounts;
  /** The accounts whose platform has failed a request of this process, or asked it to wait. */
  readonly troubled = new Set<string>();
  protected readonly each: ReadonlyMap<Account, ReplicaAccount>;
  private handles: AccountHandles;
  private admission: DeliveryAdmission;
  /** The simulated objects, by injection token. */
  protected readonly own: Map<InjectionToken, unknown>;
  private made: ReadonlyMap<InjectionToken, unknown>;
  private reads = 0;
  private readsHour = 0;
  private readonly callCounts = new Map<string, number>();

  constructor(
    protected readonly processes: Processes,
    readonly slot: number,
    readonly name: string,
    settings: ReadonlyMap<Account, ReplicaSettings>,
    skewMs: number,
  ) {
    const { scheduler } = processes;
    this.runtime = new SimulatedRuntime(
      scheduler,
      this,
      processes.chanceOf(`runtime ${name}`),
      skewMs,
    );
    const accounts = new AccountRegistry();
    this.each = new Map(
      [...settings].map(([account, own]) => {
        const { generation } = processes.worldOf(account);
        const options = { ...resolved(account, own), ...credentialsOf(account, generation) };
        accounts.add(options);
        return [account, new ReplicaAccount(this, account, own, accounts.following(account))];
      }),
    );
    const clocks = new PlatformClocks(this.runtime, accounts);
    const before = scheduler.current;
    // Timers that a constructor starts belong to this process.
    scheduler.current = this;
    this.own = new Map<InjectionToken, unknown>([
      [Runtime, this.runtime],
      [AccountRegistry, accounts],
      [PlatformClocks, clocks],
      [PlatformHttp, new SimulatedHttp(processes, this, clocks)],
      [CHOSEN_STORE, simulatedStore(processes, this)],
      [ListenersExplorer, new SimulatedListeners(processes, this)],
      [EmitterListener, { listeners: () => [] }],
      [ModuleRef, { get: (token: InjectionToken) => this.made.get(token) }],
      [PAYMENTS_SETTINGS, this.of('default').following],
      [PAYMENTS_OPTIONS, BASE],
    ]);
    this.make();
    scheduler.current = before;
  }

  /** Makes the objects of the library. */
  protected make(): void {
    graph ??= new ReplicaGraph(BASE, REPLACED);
    this.made = graph.make(this.own);
    this.adopt((token) => this.made.get(token), this.made.values());
  }

  /** Takes the services of this process, and replaces the timers of its parts. */
  protected adopt(get: (token: InjectionToken) => unknown, parts: Iterable<unknown>): void {
    this.handles = get(AccountHandles) as AccountHandles;
    this.accounts = get(PaymentsAccounts) as PaymentsAccounts;
    this.inbox = get(Inbox) as Inbox;
    this.admission = get(DeliveryAdmission) as DeliveryAdmission;
    for (const part of parts) this.replaceTimers(part);
    if (this.processes.isDouble)
      watchWaits(
        this.processes,
        this,
        get(BackgroundRequests) as BackgroundRequests,
        get(PlatformWaits) as PlatformWaits,
      );
  }

  /** Returns this process as an account sees it. */
  of(account: string): ReplicaAccount {
    const own = this.each.get(account as Account);
    if (!own) throw new Error(`${this.name} has no account "${account}"`);
    return own;
  }

  /** Switches this process to other credentials of an account, while it runs. */
  rotate(account: Account, generation: number): void {
    const accounts = this.own.get(AccountRegistry) as AccountRegistry;
    accounts.put({ ...accounts.settings(account), ...credentialsOf(account, generation) });
  }

  /** Returns the services of an account that the host gets. */
  servicesOf(account: Account): PaymentsAccount {
    return this.handles.handle(account);
  }

  /** Runs the lifecycle hooks as Nest does. */
  start(): Promise<void> {
    return (graph as ReplicaGraph).start(this.made);
  }

  /** Shuts down as Nest does on a signal. */
  stop(): Promise<void> {
    return (graph as ReplicaGraph).stop(this.made);
  }

  /** Releases resources outside of virtual time. */
  died(): void {}

  /** Passes a verified delivery to the inbox. */
  deliver(delivery: VerifiedDelivery, _url: string): Promise<void> {
    return this.inbox.accept(delivery);
  }

  /** Refuses a callback that is too large, which changes nothing. */
  refused(_delivery: VerifiedDelivery, _url: string): void {}

  /** Names a store call, so that its random numbers and faults can be found by name. */
  nextCall(method: string): string {
    const count = (this.callCounts.get(method) ?? 0) + 1;
    this.callCounts.set(method, count);
    return `${this.name} ${method} ${count}`;
  }

  /** Counts a read of the store. Returns the number of reads in the present hour. */
  readsInHour(now: number): number {
    const hour = Math.floor(now / 3_600_000);
    this.reads = hour === this.readsHour ? this.reads + 1 : 1;
    this.readsHour = hour;
    return this.reads;
  }

  /** Returns the verified delivery, as the guard makes it; null when the guard refuses it. The URL names the account. */
  verified(url: string, body: Buffer, apiKey: string): VerifiedDelivery | null {
    const segments = new URL(url).pathname.split('/').filter(Boolean);
    const at = segments.findIndex((part) => part === 'callbacks' || part === 'webhooks');
    const path = segments.slice(0, at).join('/');
    const own = [...this.each.values()].find(({ account }) => PATHS[account] === path);
    if (!own) return null;
    const { account, apiKeys } = own.options;
    const kind = segments[at] === 'callbacks' ? 'callback' : 'webhook';
    const [resource, id] = kind === 'callback' ? segments.slice(at + 1) : [];
    const mac = segments[at + (kind === 'callback' ? 3 : 1)];
    const head = {
      headers: { [SIGNATURE_HEADER]: signDelivery(body, apiKey) },
      params: {
        ...(resource !== undefined && { resource }),
        ...(id !== undefined && { id }),
        ...(mac !== undefined && { mac }),
      },
    };
    const route = deliveryRouteOf(head);
    if (!route || this.admission.refusalOf({ kind, account }, head)) return null;
    if (apiKeys.length === 0) return { ...route, account, verifiedBy: 'url', body };
    return verifySignature(body, head.headers[SIGNATURE_HEADER], apiKeys)
      ? { ...route, account, verifiedBy: 'signature', body }
      : null;
  }

  /** Replaces the timers of work loops and dispatcher, so that an idle loop does not take a step every second. */
  private replaceTimers(part: unknown): void {
    const { scheduler } = this.processes;
    if (part instanceof DueWorkFinder) {
      const finder = part as unknown as { runtime: Runtime };
      finder.runtime = forFinder(this.runtime, scheduler, this);
    }
    if (part instanceof EventDispatcher) {
      const dispatcher = part as unknown as { runtime: Runtime };
      dispatcher.runtime = forDispatcher(this.runtime, scheduler, this);
    }
  }
}

/** Returns the options of the module of an account. */
export function optionsOf(
  account: Account,
  {
    verification,
    aliases,
    tills,
    sweepEveryMs,
    reviewAfterMs,
    requestsPerSecond,
    limits,
  }: ReplicaSettings,
): PaymentsOptions {
  return {
    ...BASE,
    clientId: `client ${markOf(account)}`,
    clientSecret: `secret of the client ${markOf(account)}`,
    apiKeys: verification === 'url' ? [] : [apiKeyOf(account)],
    urlSecrets:
      verification === 'signature' ? [] : [`the secret of the URLs of the shop ${markOf(account)}`],
    tillAliases: aliases,
    tills,
    reconciliation: { sweepEveryMs, reviewAfterMs, requestsPerSecond },
    retention: { everyMs: 0 },
    ...(Object.keys(limits).length > 0 && { payouts: { limits: { KES: limits } } }),
  };
}

function resolved(account: Account, settings: ReplicaSettings): PaymentsSettings {
  const name = JSON.stringify([account, settings]);
  const existing = resolvedBySettings.get(name);
  if (existing) return existing;
  const options = resolveSettings(
    { ...optionsOf(account, settings), account },
    () => undefined,
    PATHS[account],
  );
  resolvedBySettings.set(name, options);
  return options;
}
