import { describe, expect, it } from '@jest/globals';
import { MemoryStore } from '@tillkit/payments';
import { captureLog } from '../../support/dashboard.visitor.js';
import { PLATFORMS } from '../../support/platforms.js';
import { DashboardHost, SECRET_DIGITS, Unwilling } from './dashboard.fixture.js';

describe.each(PLATFORMS)('The page of dead letters on $platform', (platform) => {
  const host = new DashboardHost(platform);

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
    expect(log[0]?.line).toContain('unknown operator replayed dead letters: 1');
    await host.dashboard.pageWith(`/payments/${id}`, 'Unwilling.paid</bdi> completed');
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
    await store.events.registerListeners('default', [
      { event: 'payment.succeeded', listener: name },
    ]);
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
    const ids = [await host.paid(), await host.paid({ allowParallel: true })];
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
