import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { resultBody, webhookBody } from '../support/deliver.js';
import { PAUSE_MS, WEBHOOKS } from './attack.requests.js';
import { Poster } from './poster.js';
import type { TargetProcess } from './target.process.js';
import type { TargetPayment } from './target.settings.js';
import type { Truth } from './truth.js';

const CUSTOMER_EVERY_MS = 50;
const MOST_ATTEMPTS = 3;
/** So many of these posts may be refused, or such a share of them: more is no accident of a busy machine. */
const MOST_REFUSED = 3;
const MOST_REFUSED_SHARE = 0.05;

/**
 * The platform's own deliveries meanwhile: each must be accepted and emit its event. The platform repeats a refused one: on a busy machine,
 * its second packet may come after the megabytes of others that make it the oldest unfinished one.
 */
export class Others {
  private readonly poster: Poster;
  private readonly loop: Promise<void>;
  private isOver = false;
  private served = 0;
  private refused = 0;
  private peakMb = 0;

  /** @param paid a payment that succeeds meanwhile */
  constructor(
    private readonly target: TargetProcess,
    private readonly truth: Truth,
    private readonly paid: TargetPayment | undefined,
  ) {
    this.poster = new Poster(target.url, 4);
    this.loop = this.serve();
  }

  async stop(): Promise<{ served: number; peakMb: number }> {
    this.isOver = true;
    await this.loop;
    this.poster.close();
    if (this.refused > Math.max(MOST_REFUSED, this.served * MOST_REFUSED_SHARE))
      this.truth.problem(
        `${this.refused} posts of the platform were refused meanwhile, and ${this.served} accepted`,
      );
    return { served: this.served, peakMb: this.peakMb };
  }

  private async serve(): Promise<void> {
    if (this.paid) await this.pay(this.paid);
    for (let n = 1; !this.isOver; n += 1) {
      this.peakMb = Math.max(this.peakMb, await this.target.residentMb());
      const reference = `OTHER${randomUUID()}`;
      const body = webhookBody({ reference, amount: `${n}.50` });
      // Half of them in two packets, as a network may deliver them.
      await this.post(WEBHOOKS, body, n % 2 === 0 ? PAUSE_MS : 0);
      this.truth.expects('till.transaction.received', reference);
      await sleep(CUSTOMER_EVERY_MS);
    }
  }

  private async pay({ platformId, callbackUrl }: TargetPayment): Promise<void> {
    await this.post(new URL(callbackUrl).pathname, resultBody(platformId, callbackUrl), 0);
    this.truth.expects('payment.succeeded', platformId);
  }

  private async post(path: string, text: string, pauseMs: number): Promise<void> {
    const body = Buffer.from(text);
    const signature = this.truth.sign(body);
    this.truth.posts(body, signature);
    const headers = { 'X-KopoKopo-Signature': signature };
    let status = 0;
    for (let attempt = 1; status !== 200 && attempt <= MOST_ATTEMPTS; attempt += 1) {
      status = await this.poster.post(path, body, headers, pauseMs);
      if (status !== 200) this.refused += 1;
    }
    if (status === 200) this.served += 1;
    else this.truth.problem(`a delivery of the platform was answered ${status} meanwhile`);
  }
}
