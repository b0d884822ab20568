import { AccountClaimsService } from '../../libs/payments/src/accounts/account-claims.service.js';
import type { InjectionToken } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { Inbox, type VerifiedDelivery } from '../../libs/payments/src/deliveries/inbox.service.js';
import { OversizedCallbacksService } from '../../libs/payments/src/deliveries/oversized-callbacks.service.js';
import { RawBodyCapture } from '../../libs/payments/src/deliveries/routes/raw-body.capture.js';
import { EmitterListener } from '../../libs/payments/src/events/emitter.listener.js';
import { EventDispatcher } from '../../libs/payments/src/events/event.dispatcher.js';
import { ListenersExplorer } from '../../libs/payments/src/events/listeners.explorer.js';
import { PlatformClocks } from '../../libs/payments/src/http/platform.clock.js';
import { PlatformHttp } from '../../libs/payments/src/http/platform.http.js';
import { PaymentLinksService } from '../../libs/payments/src/operations/payment-links/payment-links.service.js';
import { PaymentsService } from '../../libs/payments/src/operations/payments/payments.service.js';
import { PayoutsService } from '../../libs/payments/src/operations/payouts/payouts.service.js';
import { RefundsService } from '../../libs/payments/src/operations/refunds/refunds.service.js';
import { KnownAccounts } from '../../libs/payments/src/known.accounts.js';
import { CHOSEN_STORE, PAYMENTS_OPTIONS } from '../../libs/payments/src/payments.constants.js';
import type { PaymentsOptions } from '../../libs/payments/src/payments.options.js';
import {
  PAYMENTS_SETTINGS,
  type PaymentsSettings,
} from '../../libs/payments/src/payments.settings.js';
import type { CallbackResource } from '../../libs/payments/src/resources/callback-urls.js';
import { IncomingPaymentsService } from '../../libs/payments/src/resources/incoming-payments/incoming-payments.service.js';
import { WebhookSubscriptionsService } from '../../libs/payments/src/resources/webhook-subscriptions/webhook-subscriptions.service.js';
import { Runtime } from '../../libs/payments/src/runtime/runtime.js';
import { WorkLookout } from '../../libs/payments/src/runtime/work.lookout.js';
import { resolveSettings } from '../../libs/payments/src/settings.reader.js';
import { ApplicationStore } from '../../libs/payments/src/stores/application.store.js';
import type { LimitSetting } from './money-out.plan.js';
import { ReplicaGraph } from './replica.graph.js';
import { SimulatedHttp } from './simulated.http.js';
import { SimulatedListeners } from './simulated.listeners.js';
import { forDispatcher, forLookout, SimulatedRuntime } from './simulated.runtime.js';
import { simulatedStore } from './simulated.store.js';
import type { Simulation } from './history.simulation.js';
import type { StepOwner } from './virtual.scheduler.js';

/** Settings of the host; all others have their defaults. */
export interface ReplicaSettings {
  aliases: Readonly<Record<string, string>>;
  /** Tills that the account lists; none: all. */
  tills: readonly string[];
  verification: 'signature' | 'url' | 'both';
  sweepEveryMs: number;
  reviewAfterMs: number;
  requestsPerSecond: number;
  limits: LimitSetting;
}

const REPLACED: readonly InjectionToken[] = [
  Runtime,
  KnownAccounts,
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
  ApplicationStore,
  // The accounts of a history contradict each other on purpose. Renewals every five minutes of virtual weeks would be half of the work.
  AccountClaimsService,
];

/** The key that signs every delivery. */
export const API_KEY = 'the key of the shop';

const BASE: PaymentsOptions = {
  baseUrl: 'https://platform.test',
  clientId: 'client',
  clientSecret: 'secret of the client',
  publicUrl: 'https://shop.test',
  apiKeys: [API_KEY],
  tillNumber: '514459',
};

let graph: ReplicaGraph | null = null;
const resolvedBySettings = new Map<string, PaymentsSettings>();

/** One process of a replica: the real objects of the library, with time, network, store and listeners simulated. */
export class SimulatedReplica implements StepOwner {
  alive = true;
  /** Whether store calls run at once. While a real container starts, virtual time stands still. */
  isDirect = false;
  /** Whether its lifecycle hooks have ended. */
  ready = false;
  /** Number of listener calls that run. */
  listening = 0;
  readonly runtime: SimulatedRuntime;
  payments: PaymentsService;
  payouts: PayoutsService;
  refunds: RefundsService;
  links: PaymentLinksService;
  inbox: Inbox;
  bare: IncomingPaymentsService;
  webhooks: WebhookSubscriptionsService;
  readonly options: PaymentsSettings;
  /** The simulated objects, by injection token. */
  protected readonly own: Map<InjectionToken, unknown>;
  private made: ReadonlyMap<InjectionToken, unknown>;
  private reads = 0;
  private readsHour = 0;
  private readonly callCounts = new Map<string, number>();

  constructor(
    protected readonly simulation: Simulation,
    readonly slot: number,
    readonly name: string,
    readonly settings: ReplicaSettings,
    skewMs: number,
  ) {
    const { scheduler } = simulation;
    this.runtime = new SimulatedRuntime(
      scheduler,
      this,
      simulation.chanceOf(`runtime ${name}`),
      skewMs,
    );
    this.options = resolved(settings);
    const accounts = new KnownAccounts();
    accounts.add(this.options);
    const clocks = new PlatformClocks(this.runtime, accounts);
    const before = scheduler.current;
    // Timers that a constructor starts belong to this process.
    scheduler.current = this;
    this.own = new Map<InjectionToken, unknown>([
      [Runtime, this.runtime],
      [KnownAccounts, accounts],
      [PlatformClocks, clocks],
      [PlatformHttp, new SimulatedHttp(simulation, this, clocks)],
      [CHOSEN_STORE, simulatedStore(simulation, this)],
      [ListenersExplorer, new SimulatedListeners(simulation, this)],
      [EmitterListener, { listeners: () => [] }],
      [ModuleRef, { get: (token: InjectionToken) => this.made.get(token) }],
      [PAYMENTS_SETTINGS, this.options],
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
    this.payments = get(PaymentsService) as PaymentsService;
    this.payouts = get(PayoutsService) as PayoutsService;
    this.refunds = get(RefundsService) as RefundsService;
    this.links = get(PaymentLinksService) as PaymentLinksService;
    this.inbox = get(Inbox) as Inbox;
    this.webhooks = get(WebhookSubscriptionsService) as WebhookSubscriptionsService;
    this.bare = get(IncomingPaymentsService) as IncomingPaymentsService;
    for (const part of parts) this.replaceTimers(part, this.simulation);
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

  /** Refuses a callback that is too large. */
  refused({ account, resource, resourceId }: VerifiedDelivery, _url: string): void {
    const oversized = this.made.get(OversizedCallbacksService) as OversizedCallbacksService;
    void oversized.refused(account, resource as CallbackResource, resourceId ?? '');
  }

  /** Names a store call, so that its random numbers and faults can be found by name. */
  nextCall(method: string): string {
    const count = (this.callCounts.get(method) ?? 0) + 1;
    this.callCounts.set(method, count);
    return `${this.name} ${method} ${count}`;
  }

  /** Counts a read of the store. The number of reads in the present hour. */
  readsInHour(now: number): number {
    const hour = Math.floor(now / 3_600_000);
    this.reads = hour === this.readsHour ? this.reads + 1 : 1;
    this.readsHour = hour;
    return this.reads;
  }

  /** The verified delivery, as the guard makes it; null when the guard refuses it. */
  verified(url: string, body: Buffer): VerifiedDelivery | null {
    const segments = new URL(url).pathname.split('/').filter(Boolean);
    const at = segments.findIndex((part) => part === 'callbacks' || part === 'webhooks');
    const callback = segments[at] === 'callbacks';
    const mac = segments[at + (callback ? 3 : 1)];
    const signed = this.options.apiKeys.length > 0;
    if (!signed && mac === undefined) return null;
    return {
      account: this.options.account,
      kind: callback ? 'callback' : 'webhook',
      resource: callback ? (segments[at + 1] ?? null) : null,
      resourceId: callback ? (segments[at + 2] ?? null) : null,
      verifiedBy: signed ? 'signature' : 'url',
      body,
    };
  }

  /** Replaces the timers of work loops and dispatcher, so that an idle loop does not take a step every second. */
  private replaceTimers(part: unknown, simulation: Simulation): void {
    const { scheduler } = simulation;
    if (part instanceof WorkLookout) {
      const lookout = part as unknown as { runtime: Runtime };
      lookout.runtime = forLookout(this.runtime, scheduler, this);
    }
    if (part instanceof EventDispatcher) {
      const dispatcher = part as unknown as { runtime: Runtime };
      dispatcher.runtime = forDispatcher(this.runtime, scheduler, this);
    }
  }
}

/** The options of the module. */
export function optionsOf({
  verification,
  aliases,
  tills,
  sweepEveryMs,
  reviewAfterMs,
  requestsPerSecond,
  limits,
}: ReplicaSettings): PaymentsOptions {
  return {
    ...BASE,
    apiKeys: verification === 'url' ? [] : [API_KEY],
    urlSecrets: verification === 'signature' ? [] : ['the secret of the URLs of this one shop'],
    tillAliases: aliases,
    tills,
    reconciliation: { sweepEveryMs, reviewAfterMs, requestsPerSecond },
    retention: { everyMs: 0 },
    ...(Object.keys(limits).length > 0 && { payouts: { limits: { KES: limits } } }),
  };
}

function resolved(settings: ReplicaSettings): PaymentsSettings {
  const name = JSON.stringify(settings);
  const known = resolvedBySettings.get(name);
  if (known) return known;
  const options = resolveSettings(optionsOf(settings), () => undefined);
  resolvedBySettings.set(name, options);
  return options;
}
