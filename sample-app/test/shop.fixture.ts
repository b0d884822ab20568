import { randomUUID } from 'node:crypto';
import type { AbstractHttpAdapter } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { ReconciliationOptions } from '@tillkit/payments';
import { INSTANT_TIMINGS, type Simulator, type SimulatorOptions } from '@tillkit/simulator';
import type { InProcessPlatform } from '../src/practice/in-process.platform.js';
import { openShop, type Shop } from '../src/shop.application.js';

/** The two platforms of Nest that the shop must not tell apart. */
export const ADAPTERS: readonly { platform: string; adapter: () => AbstractHttpAdapter }[] = [
  { platform: 'express', adapter: () => new ExpressAdapter() },
  { platform: 'fastify', adapter: () => new FastifyAdapter() },
];

export interface Answer {
  status: number;
  location: string | null;
  headers: Headers;
  text: string;
}

/** A section as the stream sends it. */
export interface Section {
  version: string;
  title: string;
  news: string;
  html: string;
}

/** A shop on free ports with a platform that answers at once, and what a browser would do with it. */
export class OpenShop {
  private constructor(private readonly shop: Shop) {}

  static async open({
    adapter,
    simulator,
    reconciliation,
  }: {
    adapter?: () => AbstractHttpAdapter;
    simulator?: SimulatorOptions;
    reconciliation?: ReconciliationOptions;
  } = {}): Promise<OpenShop> {
    const shop = await openShop({
      environment: { PORT: '0' },
      logger: false,
      simulator: { port: 0, seed: 1, timings: INSTANT_TIMINGS, ...simulator },
      ...(adapter && { adapter: adapter() }),
      ...(reconciliation && { reconciliation }),
    });
    return new OpenShop(shop);
  }

  get app(): Shop['app'] {
    return this.shop.app;
  }

  get url(): string {
    return this.shop.url;
  }

  get simulator(): Simulator {
    return (this.shop.practice as InProcessPlatform).simulator;
  }

  async get(path: string): Promise<Answer> {
    return this.answer(await fetch(this.url + path, { redirect: 'manual' }));
  }

  async post(path: string, form: Record<string, string>): Promise<Answer> {
    const body = new URLSearchParams(form);
    return this.answer(await fetch(this.url + path, { method: 'POST', body, redirect: 'manual' }));
  }

  /** Sends the form of the checkout. */
  checkout(fields: Record<string, string>): Promise<Answer> {
    const form = { goods: 'coffee', ticket: randomUUID(), name: 'Jane Doe', phone: '0700000001' };
    return this.post('/orders', { ...form, ...fields });
  }

  /** Buys something; resolves with the path of the order. */
  async buy(fields: Record<string, string> = {}): Promise<string> {
    const { location, status, text } = await this.checkout(fields);
    if (!location) throw new Error(`no order: ${status} ${text}`);
    return location;
  }

  /** The page at a path, as soon as it has a text. */
  async pageWith(path: string, text: string): Promise<string> {
    for (;;) {
      const page = await this.get(path);
      if (page.text.includes(text)) return page.text;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Reads the stream at a path until a section has a text; resolves with all sections so far. */
  async sectionsUntil(path: string, text: string): Promise<Section[]> {
    const sections: Section[] = [];
    for await (const section of this.sections(path)) {
      sections.push(section);
      if (section.html.includes(text)) break;
    }
    return sections;
  }

  /** The sections of a stream, until it ends or nobody reads on. */
  async *sections(path: string): AsyncGenerator<Section> {
    const leave = new AbortController();
    const response = await fetch(this.url + path, { signal: leave.signal });
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
          if (event.includes('event: section') && data) yield JSON.parse(data) as Section;
        }
      }
    } finally {
      leave.abort();
    }
  }

  async close(): Promise<void> {
    await this.shop.app.close();
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
