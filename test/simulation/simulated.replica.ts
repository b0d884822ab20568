import type { InjectionToken } from '@nestjs/common';
import { Inbox, type VerifiedDelivery } from '../../libs/payments/src/deliveries/inbox.service.js';
import { OversizedCallbacksService } from '../../libs/payments/src/deliveries/oversized-callbacks.service.js';
import { RawBodyCapture } from '../../libs/payments/src/deliveries/routes/raw-body.capture.js';
import { EmitterListener } from '../../libs/payments/src/events/emitter.listener.js';
import { EventDispatcher } from '../../libs/payments/src/events/event.dispatcher.js';
import { ListenersExplorer } from '../../libs/payments/src/events/listeners.explorer.js';
import { PlatformClocks } from '../../libs/payments/src/http/platform.clock.js';
import { PlatformHttp } from '../../libs/payments/src/http/platform.http.js';
import { PaymentsService } from '../../libs/payments/src/operations/payments/payments.service.js';
import { PaymentsAccounts } from '../../libs/payments/src/payments.accounts.js';
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
import { WorkLoop } from '../../libs/payments/src/runtime/work.loop.js';
import { resolveSettings } from '../../libs/payments/src/settings.reader.js';
import { ApplicationStore } from '../../libs/payments/src/stores/application.store.js';
import { ReplicaGraph } from './replica.graph.js';
import { SimulatedHttp } from './simulated.http.js';
import { SimulatedListeners } from './simulated.listeners.js';
import { forDispatcher, forWorkLoop, SimulatedRuntime } from './simulated.runtime.js';
import { simulatedStore } from './simulated.store.js';
import type { World } from './simulated.world.js';
import type { Life, Queue } from './virtual.scheduler.js';

/** What a host of this history sets; everything else is as the library defaults it. */
export interface ReplicaSettings {
  aliases: Readonly<Record<string, string>>;
  /** Tills that the account lists; none: all. */
  tills: readonly string[];
  verification: 'signature' | 'url' | 'both';
  sweepEveryMs: number;
  reviewAfterMs: number;
  requestsPerSecond: number;
}

const REPLACED: readonly InjectionToken[] = [
  Runtime,
  PaymentsAccounts,
  PlatformClocks,
  PlatformHttp,
  CHOSEN_STORE,
  ListenersExplorer,
  EmitterListener,
  PAYMENTS_SETTINGS,
  PAYMENTS_OPTIONS,
  // A process without HTTP server and container has no use for these.
  RawBodyCapture,
  ApplicationStore,
];

/** Signs every delivery. */
export const API_KEY = 'the key of the shop';

const BASE: PaymentsOptions = {
  baseUrl: 'https://platform.test',
  clientId: 'client',
  clientSecret: 'secret of the client',
  publicUrl: 'https://shop.test',
  apiKeys: [API_KEY],
  tillNumber: '514459',
};

/** What the work loops look for, by their names. A loop of another name looks whenever anything changes. */
const QUEUES: Readonly<Record<string, Queue>> = {
  callbacks: 'callbacks',
  webhooks: 'webhooks',
  events: 'calls',
  'due payments': 'payments',
  'settled payments': 'followed payments',
};

let graph: ReplicaGraph | null = null;
const resolvedBySettings = new Map<string, PaymentsSettings>();

/** One process of a replica: the library's own objects, with the world around them simulated. */
export class SimulatedReplica implements Life {
  alive = true;
  /** Whether its calls of the store are not parked: while a real container starts, virtual time stands still. */
  isDirect = false;
  /** Whether its lifecycle hooks have ended. */
  ready = false;
  /** Listeners under way. */
  listening = 0;
  readonly runtime: SimulatedRuntime;
  payments: PaymentsService;
  inbox: Inbox;
  bare: IncomingPaymentsService;
  webhooks: WebhookSubscriptionsService;
  readonly options: PaymentsSettings;
  /** What stands in for the world around the library. */
  protected readonly own: Map<InjectionToken, unknown>;
  private made: ReadonlyMap<InjectionToken, unknown>;
  private reads = 0;
  private readsHour = 0;
  private readonly callCounts = new Map<string, number>();

  constructor(
    protected readonly world: World,
    readonly slot: number,
    readonly name: string,
    readonly settings: ReplicaSettings,
    skewMs: number,
  ) {
    const { scheduler } = world;
    this.runtime = new SimulatedRuntime(scheduler, this, world.chanceOf(`runtime ${name}`), skewMs);
    this.options = resolved(settings);
    const clocks = new PlatformClocks(this.runtime);
    const accounts = new PaymentsAccounts();
    accounts.add(this.options);
    const before = scheduler.current;
    // Whatever a constructor starts is part of this process.
    scheduler.current = this;
    this.own = new Map<InjectionToken, unknown>([
      [Runtime, this.runtime],
      [PaymentsAccounts, accounts],
      [PlatformClocks, clocks],
      [PlatformHttp, new SimulatedHttp(world, this, clocks)],
      [CHOSEN_STORE, simulatedStore(world, this)],
      [ListenersExplorer, new SimulatedListeners(world, this)],
      [EmitterListener, { listeners: () => [] }],
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

  /** These are the objects of this process. */
  protected adopt(get: (token: InjectionToken) => unknown, parts: Iterable<unknown>): void {
    this.payments = get(PaymentsService) as PaymentsService;
    this.inbox = get(Inbox) as Inbox;
    this.webhooks = get(WebhookSubscriptionsService) as WebhookSubscriptionsService;
    this.bare = get(IncomingPaymentsService) as IncomingPaymentsService;
    for (const part of parts) this.tame(part, this.world);
  }

  /** Runs the lifecycle hooks as Nest does. */
  start(): Promise<void> {
    return (graph as ReplicaGraph).start(this.made);
  }

  /** Ends as Nest does on a signal. */
  stop(): Promise<void> {
    return (graph as ReplicaGraph).stop(this.made);
  }

  /** Lets go of what is outside of virtual time. */
  died(): void {}

  /** Gives it a delivery that its guard lets in. */
  take(delivery: VerifiedDelivery, _url: string): Promise<void> {
    return this.inbox.accept(delivery);
  }

  /** The callback was too large to be read. */
  refused({ account, resource, resourceId }: VerifiedDelivery, _url: string): void {
    const oversized = this.made.get(OversizedCallbacksService) as OversizedCallbacksService;
    void oversized.refused(account, resource as CallbackResource, resourceId ?? '');
  }

  /** A name for each store call, so that chance and shrinking can speak of it. */
  nextCall(method: string): string {
    const count = (this.callCounts.get(method) ?? 0) + 1;
    this.callCounts.set(method, count);
    return `${this.name} ${method} ${count}`;
  }

  /** Look-ups in the store in the hour that this is, with this one. */
  readsInHour(now: number): number {
    const hour = Math.floor(now / 3_600_000);
    this.reads = hour === this.readsHour ? this.reads + 1 : 1;
    this.readsHour = hour;
    return this.reads;
  }

  /** What the guard makes of a delivery; null when it refuses it. */
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

  /** Idle loops must not cost a step for each second of a virtual day. */
  private tame(part: unknown, world: World): void {
    if (typeof part !== 'object' || part === null) return;
    const { scheduler } = world;
    for (const field of (Object.values(part) as unknown[]).flat()) {
      if (!(field instanceof WorkLoop)) continue;
      const { source } = field as unknown as { source: { runtime: Runtime; name: string } };
      const queue = QUEUES[source.name] ?? null;
      source.runtime = forWorkLoop(this.runtime, scheduler, this, {
        queue,
        group: source.name,
      });
    }
    if (part instanceof EventDispatcher) {
      const dispatcher = part as unknown as { runtime: Runtime };
      dispatcher.runtime = forDispatcher(this.runtime, scheduler, this);
    }
  }
}

/** What the host writes into its module. */
export function optionsOf({
  verification,
  aliases,
  tills,
  sweepEveryMs,
  reviewAfterMs,
  requestsPerSecond,
}: ReplicaSettings): PaymentsOptions {
  return {
    ...BASE,
    apiKeys: verification === 'url' ? [] : [API_KEY],
    urlSecrets: verification === 'signature' ? [] : ['the secret of the URLs of this one shop'],
    tillAliases: aliases,
    tills,
    reconciliation: { sweepEveryMs, reviewAfterMs, requestsPerSecond },
    retention: { everyMs: 0 },
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
