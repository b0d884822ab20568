import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { INestApplication, InjectionToken } from '@nestjs/common';
import { ModulesContainer, ModuleRef } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { AccountReservationsService } from '../../libs/payments/src/accounts/account-reservations.service.js';
import type { Inbox, VerifiedDelivery } from '../../libs/payments/src/inbox/inbox.service.js';
import { SIGNATURE_HEADER, signDelivery } from '../../libs/payments/src/door/signature.js';
import { AccountRegistry } from '../../libs/payments/src/accounts/account-registry.js';
import { PAYMENTS_OPTIONS } from '../../libs/payments/src/payments-account.js';
import { PaymentsModule } from '../../libs/payments/src/payments.module.js';
import { PAYMENTS_SETTINGS } from '../../libs/payments/src/accounts/payments.settings.js';
import { LIMITS } from '../../libs/payments/src/payments-defaults.js';
import { PLATFORMS } from '../support/platforms.js';
import type { Account } from './history.accounts.js';
import type { RealWork } from './real.work.js';
import {
  apiKeyOf,
  credentialsOf,
  optionsOf,
  PATHS,
  SimulatedReplica,
} from './simulated.replica.js';

/** Providers that the container makes from the options of the host. */
const REAL: readonly InjectionToken[] = [
  ModuleRef,
  AccountRegistry,
  PAYMENTS_SETTINGS,
  PAYMENTS_OPTIONS,
];

/** Work outside of virtual time, in a history in which each process is a Nest application. */
export interface ApplicationWork {
  work: RealWork;
  /** Deliveries that are between the controller and the store. They wait for virtual time. */
  inside: Set<object>;
  applications: Set<INestApplication>;
}

const works = new WeakMap<object, ApplicationWork>();

/** Sets the real work of a simulation. */
export function workWith(simulation: object, work: ApplicationWork): void {
  works.set(simulation, work);
}

/** One process as a host runs it: a Nest application with an HTTP server, on Express or on Fastify. */
export class ContainerReplica extends SimulatedReplica {
  private app: INestApplication | null = null;
  private readonly inside = new Set<object>();

  /** Makes nothing before the start: the container makes everything. */
  protected override make(): void {}

  override async start(): Promise<void> {
    await this.real.work.run(() => this.boot());
    if (!this.alive) this.died();
  }

  override died(): void {
    for (const delivery of this.inside) this.real.inside.delete(delivery);
    const server = this.app?.getHttpServer() as import('node:http').Server | undefined;
    server?.close();
    server?.closeAllConnections();
    if (this.app) this.real.applications.delete(this.app);
    this.app = null;
  }

  /** Posts the delivery to its HTTP server, as the platform does. */
  override deliver({ account, body, verifiedBy }: VerifiedDelivery, url: string): Promise<void> {
    const { processes } = this;
    return this.real.work
      .run(() => this.post(account, new URL(url).pathname, body))
      .then((status) => {
        processes.reached(`delivery over HTTP on ${this.platform.platform}`);
        if (status === 200) return;
        if (status !== 503 && status !== 0) {
          processes.violate(
            'answer to a delivery',
            `a delivery that is verified by ${verifiedBy} was answered ${status}`,
          );
        }
        throw new Error(`answered ${status}`);
      });
  }

  /** Calls the destroy hooks of the container. `died()` closes the server. */
  override async stop(): Promise<void> {
    const app = this.app as unknown as { callDestroyHook(): Promise<void> } | null;
    await app?.callDestroyHook();
  }

  /** Posts a body that is larger than the limit. */
  override refused({ account }: VerifiedDelivery, url: string): void {
    const { processes } = this;
    const body = Buffer.alloc(LIMITS.callbackBytes + 1, ' ');
    void this.real.work
      .run(() => this.post(account, new URL(url).pathname, body))
      .then((status) => {
        if (status !== 413 && status !== 0)
          processes.violate(
            'answer to a delivery',
            `a callback that was too large was answered ${status}`,
          );
      });
  }

  private get real(): ApplicationWork {
    return works.get(this.processes) as ApplicationWork;
  }

  /** Express and Fastify in turn, by seed and slot. */
  private get platform(): (typeof PLATFORMS)[number] {
    return PLATFORMS[
      (this.processes.plan.seed + this.slot) % PLATFORMS.length
    ] as (typeof PLATFORMS)[number];
  }

  private async boot(): Promise<void> {
    // The hooks of a start wait for the store, and the container cannot wait for virtual time.
    this.isDirect = true;
    let building = Test.createTestingModule({
      imports: [...this.each.values()].map(({ account, settings }) =>
        PaymentsModule.forRoot({
          ...optionsOf(account, settings),
          ...credentialsOf(account, this.processes.worldOf(account).generation),
          account,
          path: PATHS[account],
        }),
      ),
    });
    for (const [token, value] of this.own) {
      if (!REAL.includes(token)) building = building.overrideProvider(token).useValue(value);
    }
    // Both accounts have one till, which the claims of accounts refuse.
    if (this.processes.isDouble)
      building = building.overrideProvider(AccountReservationsService).useValue({});
    const app = this.platform.create(await building.compile(), { logger: false });
    this.app = app;
    this.real.applications.add(app);
    const parts = [...app.get(ModulesContainer).values()].flatMap((module) =>
      [...module.providers.values()].map(({ instance }) => instance as unknown),
    );
    this.adopt((token) => app.get(token as never, { strict: false }), new Set(parts));
    this.parkDeliveries(this.inbox);
    await app.listen(0, '127.0.0.1');
    this.isDirect = false;
  }

  /** Parks each delivery that passed the guard, so that it is a step of the history from here on. */
  private parkDeliveries(inbox: Inbox): void {
    const accept = inbox.accept.bind(inbox);
    inbox.accept = (delivery) =>
      new Promise((resolve, reject) => {
        const mark = {};
        this.real.inside.add(mark);
        this.inside.add(mark);
        const finish = (settle: () => void): void => {
          // The real server writes the answer.
          this.real.inside.delete(mark);
          this.inside.delete(mark);
          setImmediate(settle);
        };
        this.processes.scheduler.park(this, `${this.name} accepts a delivery`, () => {
          accept(delivery).then(
            () => finish(resolve),
            (error: unknown) => finish(() => reject(error as Error)),
          );
        });
      });
  }

  /** Resolves with the status of the answer; 0 when the connection broke. */
  private post(account: string, path: string, body: Buffer): Promise<number> {
    const server = this.app?.getHttpServer() as import('node:http').Server | undefined;
    const address = server?.address() as AddressInfo | null | undefined;
    if (!address) return Promise.resolve(0);
    return new Promise((resolve) => {
      const sending = request(
        {
          host: '127.0.0.1',
          port: address.port,
          path,
          method: 'POST',
          agent: false,
          headers: {
            'content-type': 'application/json',
            'content-length': body.length,
            [SIGNATURE_HEADER]: signDelivery(body, apiKeyOf(account as Account)),
          },
        },
        (response) => {
          response.resume();
          response.on('close', () => resolve(response.complete ? (response.statusCode ?? 0) : 0));
        },
      );
      sending.on('error', () => resolve(0));
      sending.end(body);
    });
  }
}
