import { describe, expect, it } from '@jest/globals';
import { PaymentsAccounts, SendingPausedError } from '@tillkit/payments';
import { captureLog, type Shown } from '../../support/dashboard.visitor.js';
import { aRequest } from '../../support/merchant.js';
import { DashboardHost } from './dashboard.fixture.js';

const WHY = 'the till was moved <b>';

function wordsOf({ text }: Shown): string {
  return text.replace(/<[^>]+>/g, '').replace(/\s+/g, ' ');
}

describe('The page about sending', () => {
  const host = new DashboardHost();

  it('pauses and resumes the account, and shows who did it and why', async () => {
    await host.open();
    const { dashboard, merchant } = host;
    expect((await dashboard.get('/sending')).text).toContain('Sending was never paused.');
    expect((await dashboard.get('/overview')).text).not.toContain('Sending is paused');
    const log = captureLog();
    const paused = await dashboard.post('/sending', { what: 'pause', note: WHY });
    expect(paused.location).toBe(`${dashboard.url}/sending?notice=paused`);
    expect(log[0]?.line).toContain('unknown operator paused sending');
    await expect(merchant.payments.request(aRequest())).rejects.toThrow(SendingPausedError);
    expect(wordsOf(await dashboard.get('/sending'))).toMatch(
      /Sending is paused for this account since .{1,30}, by unknown operator: the till was moved &lt;b&gt;/,
    );
    expect((await dashboard.get('/overview')).text).toContain('Sending is paused.');

    const again = await dashboard.post('/sending', { what: 'pause', note: WHY });
    expect(again.location).toContain('notice=paused-already');
    const resumed = await dashboard.post('/sending', { what: 'resume', note: 'it is back' });
    expect(resumed.location).toContain('notice=resumed');
    expect((await dashboard.get('/sending')).text).toContain('it is back');
    expect((await merchant.payments.request(aRequest())).state).toBe('pending');
  });

  it('shows a pause of all accounts, which it cannot end', async () => {
    await host.open();
    const accounts = host.merchant.app.get(PaymentsAccounts);
    await accounts.pause({ by: 'jane', note: 'a restore' });
    expect(wordsOf(await host.dashboard.get('/sending'))).toMatch(
      /paused for all accounts since .{1,30}, by jane: a restore/,
    );
    expect(
      (await host.dashboard.post('/sending', { what: 'resume', note: 'go on' })).location,
    ).toContain('notice=resumed-already');
    expect(await accounts.pauses()).toHaveLength(1);
  });

  it('changes nothing without a reason', async () => {
    await host.open();
    for (const note of ['', ' ', 'x'.repeat(501), 'a\u0007bell'])
      expect((await host.dashboard.post('/sending', { what: 'pause', note })).status).toBe(400);
    expect((await host.dashboard.post('/sending', { what: 'stop', note: WHY })).status).toBe(400);
    expect(await host.merchant.app.get(PaymentsAccounts).pauses()).toEqual([]);
  });
});
