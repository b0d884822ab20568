import { beforeAll, describe, expect, it } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import { MemoryStore, OnPaymentEvent } from '@tillkit/payments';
import { captureLog, linksOf } from '../../support/dashboard.visitor.js';
import { wordsOfPage } from '../../support/page.form.js';
import { DashboardHost, cellsOf, SECRET_DIGITS, Unwilling } from './dashboard.fixture.js';

/** A second listener that fails, with a text that is a formula. */
@Injectable()
class Hostile {
  @OnPaymentEvent('payment.succeeded')
  paid(): void {
    throw new Error('=1+1');
  }
}

describe('The page of dead letters', () => {
  const host = new DashboardHost();

  it('shows a listener that failed too often and calls it again', async () => {
    await host.open({
      providers: [Unwilling],
      payments: { listeners: { retryScheduleMs: [1] } },
    });
    const unwilling = host.merchant.app.get(Unwilling);
    const id = await host.paid();
    const page = await host.dashboard.pageWith(
      `/payments/${id}`,
      'Unwilling.paid</bdi> became a dead letter',
    );
    expect(page).toContain('after 2 attempts: no room for +');
    expect(page).toContain('&lt;b&gt;');
    expect(page).not.toContain(SECRET_DIGITS);
    const letters = await host.dashboard.get('/dead-letters');
    expect(letters.text).toContain('Unwilling.paid');
    expect(letters.text).not.toContain(SECRET_DIGITS);
    expect((await host.dashboard.get('/overview')).text).toMatch(
      /<strong>1<\/strong>\s*<span>dead letter</,
    );

    const [, letter] = /name="id" value="([^"]+)"/.exec(letters.text)!;
    unwilling.isWilling = true;
    const log = captureLog();
    const replayed = await host.dashboard.post('/dead-letters/replay', { id: letter! });
    expect(replayed.status).toBe(303);
    expect(replayed.location).toBe(
      `${host.dashboard.url}/dead-letters?notice=dead-letter-replayed`,
    );
    expect(log[0]?.line).toContain(`unknown operator replayed dead letters: 1 (${letter})`);
    const payment = await host.dashboard.pageWith(
      `/payments/${id}`,
      'Unwilling.paid</bdi> completed',
    );
    expect(wordsOfPage(payment)).toContain(
      'unknown operator: replayed Unwilling.paid for payment.succeeded',
    );
    expect(unwilling.eventIds).toHaveLength(1);
    const gone = await host.dashboard.post('/dead-letters/replay', { id: letter! });
    expect(gone.location).toContain('notice=no-dead-letter');
    expect((await host.dashboard.post('/dead-letters/replay')).status).toBe(400);
    expect(
      (await host.dashboard.post('/dead-letters/replay', { id: "1'; drop" })).location,
    ).toContain('no-dead-letter');
  });

  it('shows listeners that no process has, and how long their events wait', async () => {
    let now = Date.now();
    const store = new MemoryStore(() => now);
    const name = 'Removed.<b>hear</b>';
    await store.events.registerListeners(
      'default',
      [{ event: 'payment.succeeded', listener: name }],
      'start',
    );
    await host.open({ payments: { store } });
    await host.paid();
    expect((await host.dashboard.get('/overview')).text).not.toContain('not running');
    now += 11 * 60_000;
    expect((await host.dashboard.get('/overview')).text).toMatch(
      /<strong>1<\/strong>\s*<span>listener not running</,
    );
    const { text } = await host.dashboard.get('/dead-letters');
    expect(text).toContain('Removed.&lt;b&gt;hear');
    expect(text).toContain('11 min');
  });

  it('calls all dead letters again', async () => {
    await host.open({ providers: [Unwilling], payments: { listeners: { retryScheduleMs: [1] } } });
    const ids = [await host.paid(), await host.paid()];
    for (const id of ids)
      await host.dashboard.pageWith(`/payments/${id}`, 'Unwilling.paid</bdi> became a dead letter');
    host.merchant.app.get(Unwilling).isWilling = true;
    const { location } = await host.dashboard.post('/dead-letters/replay', { which: 'all' });
    expect(location).toContain('dead-letters-replayed');
    for (const id of ids)
      await host.dashboard.pageWith(`/payments/${id}`, 'Unwilling.paid</bdi> completed');
    expect((await host.dashboard.get('/dead-letters')).text).toContain('No dead letters.');
  });
});

describe('The page of dead letters of two listeners', () => {
  const host = DashboardHost.shared();
  let id = '';

  beforeAll(async () => {
    await host.open({
      providers: [Unwilling, Hostile],
      payments: { listeners: { retryScheduleMs: [1] } },
    });
    id = await host.paid({ idempotencyKey: '=INV-1' });
    for (const listener of ['Unwilling', 'Hostile'])
      await host.dashboard.pageWith(
        `/payments/${id}`,
        `${listener}.paid</bdi> became a dead letter`,
      );
  });

  it('has those that its filter allows, also in its file, and replays all only when it hides none', async () => {
    const all = await host.dashboard.get('/dead-letters');
    expect(linksOf(all.text)).toContain('./dead-letters?listener=Hostile.paid');
    expect(all.text).toContain('name="which"');
    const { text } = await host.dashboard.get('/dead-letters?listener=Hostile.paid');
    expect(text).toContain('Hostile.paid');
    expect(text).not.toContain('Unwilling.paid');
    expect(text).not.toContain('name="which"');
    expect(linksOf(text)).toContain('./dead-letters.csv?listener=Hostile.paid');
    expect((await host.dashboard.get('/dead-letters?to=2020-01-01')).text).toContain(
      'No dead letters match.',
    );
    const file = await host.dashboard.get('/dead-letters.csv?listener=Hostile.paid');
    expect(cellsOf(file.text)).toMatchObject([
      {
        listener: 'Hostile.paid',
        event: 'payment.succeeded',
        about: id,
        orderNumber: `'=INV-1`,
        attempts: '2',
        lastError: `'=1+1`,
      },
    ]);
  });

  it('has a file of all, in which phone numbers are masked', async () => {
    const { headers, text } = await host.dashboard.get('/dead-letters.csv');
    expect(headers.get('content-disposition')).toContain('dead-letters-');
    expect(cellsOf(text)).toHaveLength(2);
    expect(text).toContain('no room for');
    expect(text.replace(/\s/g, '')).not.toContain(SECRET_DIGITS);
  });

  it('refuses a time that is none, beside its field, and makes no file of it', async () => {
    for (const path of ['/dead-letters?from=soon', '/dead-letters.csv?from=soon']) {
      const { status, text } = await host.dashboard.get(path);
      expect({ path, status }).toEqual({ path, status: 400 });
      expect(text).toMatch(/field-error[^>]*>This is not a date/);
    }
  });
});
