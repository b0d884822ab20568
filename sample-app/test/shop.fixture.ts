import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  PaymentsAccount,
  PayoutsService,
  RefundsService,
  type PaymentsOptions,
} from '@tillkit/payments';
import type { ListenerOptions, ReconciliationOptions } from '@tillkit/payments/types';
import { EmbeddedPostgres } from '@tillkit/postgres/embedded';
import {
  INSTANT_TIMINGS,
  Simulator,
  type Charge,
  type Handset,
  type SimulatorOptions,
} from '@tillkit/simulator';
import { confirmFailure } from '../../test/support/confirmed-failures.js';
import { until } from '../../test/support/until.js';
import { PRACTICE_TILL, type PracticePlatform } from '../src/practice/practice-platform.js';
import { openShop, type Shop } from '../src/shop-application.js';

export interface Answer {
  status: number;
  location: string | null;
  headers: Headers;
  text: string;
}

/** On a busy machine, a prompt is there until it is answered, and an order is paid before its money goes back. */
const PATIENT = { ...INSTANT_TIMINGS, promptTimeout: 3_600_000, afterwards: 30_000 };

/** A live section from the event stream. */
export interface Section {
  title: string;
  announcement: string;
  content: string;
  isFinal: boolean;
}

/** One PostgreSQL server, with a database for each shop. */
export class TestDirectory {
  private databases = 0;

  private constructor(
    readonly dataDir: string,
    private readonly server: EmbeddedPostgres,
  ) {}

  static async create(): Promise<TestDirectory> {
    const dataDir = await mkdtemp(join(tmpdir(), 'tillkit-shop-'));
    // PostgreSQL refuses to run as root, so another user must be able to enter the directory.
    await chmod(dataDir, 0o755);
    const server = await EmbeddedPostgres.start({ dataDir: join(dataDir, 'postgres') });
    return new TestDirectory(dataDir, server);
  }

  /** Returns the options of a shop with its own database. */
  next(): { dataDir: string; database: string } {
    this.databases += 1;
    return { dataDir: this.dataDir, database: `shop_${this.databases}` };
  }

  async remove(): Promise<void> {
    await this.server.stop();
    await rm(this.dataDir, { recursive: true, force: true });
  }
}

/** Returns a simulator as the platform of a shop. */
export function practiceOf(simulator: Simulator): PracticePlatform {
  const { url, clientId, clientSecret, apiKey } = simulator;
  return { id: randomUUID(), url, clientId, clientSecret, apiKey, stop: () => simulator.stop() };
}

export class Customer {
  constructor(
    /** The number in the form that a customer types. */
    readonly phone: string,
    readonly internationalPhone: string,
    private readonly simulator: Simulator,
  ) {}

  get handset(): Handset {
    return this.simulator.handset(this.internationalPhone);
  }

  /** Returns the payment requests that the platform carried out. */
  charges(): Charge[] {
    return this.simulator.charges().filter(({ phone }) => phone === this.internationalPhone);
  }

  /** Waits for the prompt and enters the PIN. */
  async approve(): Promise<void> {
    while (!this.handset.prompts().some(({ state }) => state === 'open')) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    this.handset.approve();
  }
}

/** A shop on a free port with a platform without delays, and the actions of a browser. */
export class OpenShop {
  private customers = 0;

  private constructor(
    private readonly shop: Shop,
    readonly simulator: Simulator,
    private readonly directory: TestDirectory | null,
  ) {}

  /** Opens a shop. Without a directory it creates one, which {@link close} removes. */
  static async open({
    directory,
    simulator: simulatorOptions,
    reconciliation,
    listeners,
  }: {
    directory?: TestDirectory;
    simulator?: SimulatorOptions;
    reconciliation?: ReconciliationOptions;
    listeners?: ListenerOptions;
  } = {}): Promise<OpenShop> {
    const own = directory ? null : await TestDirectory.create();
    const simulator = await Simulator.start({
      seed: 1,
      timings: PATIENT,
      openingBalances: { [PRACTICE_TILL]: 100_000 },
      ...simulatorOptions,
    });
    // The library sends a payment of `record()` at its next poll for due work.
    const payments: PaymentsOptions = {
      reconciliation: { intervalMs: 50, ...reconciliation },
      ...(listeners && { listeners }),
    };
    const shop = await openShop({
      ...(directory ?? own)!.next(),
      environment: { PORT: '0' },
      logger: false,
      practice: practiceOf(simulator),
      payments,
    });
    return new OpenShop(shop, simulator, own);
  }

  get app(): Shop['app'] {
    return this.shop.app;
  }

  get url(): string {
    return this.shop.url;
  }

  /** Returns a new customer. The last two digits of the phone number choose the scenario. */
  customer(lastDigits: string): Customer {
    this.customers += 1;
    const number = `7${String(this.customers).padStart(6, '0')}${lastDigits}`;
    return new Customer(`0${number}`, `+254${number}`, this.simulator);
  }

  async get(path: string): Promise<Answer> {
    return this.answer(await fetch(this.url + path, { redirect: 'manual' }));
  }

  async post(path: string, form: Record<string, string>): Promise<Answer> {
    const body = new URLSearchParams(form);
    return this.answer(await fetch(this.url + path, { method: 'POST', body, redirect: 'manual' }));
  }

  /** Sends the checkout form. */
  checkout(fields: Record<string, string>): Promise<Answer> {
    const form = { goods: 'coffee', ticket: randomUUID(), name: 'Jane Doe', phone: '0700000001' };
    return this.post('/orders', { ...form, ...fields });
  }

  /** Places an order. @returns its path */
  async buy(fields: Record<string, string> = {}): Promise<string> {
    const { location, status, text } = await this.checkout(fields);
    if (!location) throw new Error(`no order: ${status} ${text}`);
    return location;
  }

  /** Places an order and waits until it is paid. @returns its path */
  async buyAndPay({ phone }: Customer): Promise<string> {
    const order = await this.buy({ phone });
    await this.pageWith(order, 'Paid. Asante!');
    return order;
  }

  /** Reloads a page until it contains a text. */
  async pageWith(path: string, text: string): Promise<string> {
    for (;;) {
      const page = await this.get(path);
      if (page.text.includes(text)) return page.text;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Moves the clock past the minutes after which a cancelled payout or refund counts as failed. */
  async confirmFailure(kind: 'payout' | 'refund'): Promise<void> {
    const { store } = this.app.get(PaymentsAccount);
    const open = async (): Promise<string | undefined> =>
      (await store.operations.list('default', { kind, states: ['pending'] }, { limit: 1 })).items[0]
        ?.id;
    await until(async () => (await open()) !== undefined);
    const service = this.app.get(kind === 'payout' ? PayoutsService : RefundsService);
    await confirmFailure(this.simulator, service, (await open()) as string);
  }

  /** Reads a stream until a section contains a text. @returns all sections so far */
  async sectionsUntil(path: string, text: string): Promise<Section[]> {
    const sections: Section[] = [];
    for await (const section of this.sections(path)) {
      sections.push(section);
      if (section.content.includes(text)) break;
    }
    return sections;
  }

  /** Returns the sections of a stream. It closes the stream when the caller stops reading. */
  async *sections(path: string): AsyncGenerator<Section> {
    const abort = new AbortController();
    const response = await fetch(this.url + path, { signal: abort.signal });
    if (response.status !== 200) throw new Error(`no stream: ${response.status}`);
    let text = '';
    const decoder = new TextDecoder();
    try {
      for await (const chunk of response.body!) {
        text += decoder.decode(chunk as Uint8Array, { stream: true });
        const events = text.split('\n\n');
        text = events.pop() ?? '';
        for (const event of events) {
          const data = /^data: (.+)$/m.exec(event)?.[1];
          if (data) yield JSON.parse(data) as Section;
        }
      }
    } finally {
      abort.abort();
    }
  }

  async close(): Promise<void> {
    await this.shop.app.close();
    await this.directory?.remove();
  }

  private async answer(response: Response): Promise<Answer> {
    const location = response.headers.get('location');
    return {
      status: response.status,
      location: location && location.replace(this.url, ''),
      headers: response.headers,
      text: await response.text(),
    };
  }
}
