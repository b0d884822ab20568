import { beforeEach, describe, expect, it } from '@jest/globals';
import { DashboardHost, InterruptibleStore } from './dashboard.fixture.js';

describe('A reconciliation', () => {
  const host = new DashboardHost();

  describe('with the default store', () => {
    beforeEach(() =>
      host.open({ payments: { reconciliation: { sweepEveryMs: 0, requestsPerSecond: 1_000 } } }),
    );

    const window = () => {
      const field = (ms: number): string => new Date(Date.now() + ms).toISOString().slice(0, 16);
      return { from: field(-3_600_000), to: field(120_000) };
    };

    it('shows four lists and a CSV file without formulas', async () => {
      const id = await host.paid();
      await host.merchant.simulator.payTill({
        tillNumber: '514459',
        phoneNumber: '+254700000077',
        amount: 50,
        silent: true,
        reference: '=HYPERLINK("x")',
      });
      const { status, text } = await host.dashboard.post('/reconciliation', window());
      expect(status).toBe(200);
      expect(text).toContain('Matched (1)');
      expect(text).toContain('Missing here (1)');
      expect(text).toContain('Missing there (0)');
      expect(text).toContain('Different (0)');
      expect(text).toContain(`payments/${id}`);
      const [, file] = /href="data:text\/csv;charset=utf-8,([^"]+)"/.exec(text)!;
      const csv = decodeURIComponent(file!.replaceAll('&#39;', "'")).split('\r\n');
      expect(csv[0]).toBe(
        '\ufeff"list","reference","tillNumber","currency","amountHere","amountThere","originatedAt","paymentId","paymentLinkId","difference"',
      );
      expect(csv.some((line) => line.startsWith('"matched",') && line.includes(id))).toBe(true);
      expect(csv.some((line) => line.startsWith(`"missingHere","'=HYPERLINK(""x"")"`))).toBe(true);
    });

    it('covers the last 24 hours by default', async () => {
      const id = await host.paid();
      const { text } = await host.dashboard.get('/reconciliation');
      const input = [...text.matchAll(/name="(from|to)"[^>]*value="([^"]+)"/g)];
      const fields = input.map(([, name, value]) => [name, value] as [string, string]);
      expect(fields.map(([name]) => name)).toEqual(['from', 'to']);
      const report = await host.dashboard.post('/reconciliation', fields);
      expect(report.text).toContain('Matched (1)');
      expect(report.text).toContain(`payments/${id}`);
    });

    it.each([
      [{}, 'Enter both times'],
      [{ from: 'x', to: '2026-01-01' }, 'Enter both times'],
      [{ from: '2026-01-02', to: '2026-01-01' }, 'must be later than the beginning'],
      [{ from: '2026-01-01', to: '2026-02-02' }, 'longer than 31 days'],
    ])('refuses the window %p and says why', async (fields, words) => {
      const { status, text } = await host.dashboard.post(
        '/reconciliation',
        fields as Record<string, string>,
      );
      expect(status).toBe(400);
      expect(text).toContain(words);
    });

    it('says why the list of the platform could not be read', async () => {
      host.merchant.simulator.faults.once('create-5xx-before-commit', { resource: 'polling' });
      const { status, text } = await host.dashboard.post('/reconciliation', window());
      expect(status).toBe(502);
      expect(text).toContain('could not be read completely');
      expect((await host.dashboard.post('/reconciliation', window())).status).toBe(200);
    });
  });

  it('runs one reconciliation at a time', async () => {
    const store = new InterruptibleStore();
    let isAsked = (): void => undefined;
    let goOn = (): void => undefined;
    const asked = new Promise<void>((resolve) => (isAsked = resolve));
    const deferred = new Promise<void>((resolve) => (goOn = resolve));
    store.transactions.list = async () => {
      isAsked();
      await deferred;
      return { items: [], next: null };
    };
    await host.open({ payments: { store, reconciliation: { sweepEveryMs: 0 } } });
    const window = { from: '2026-01-01', to: '2026-01-02' };
    const first = host.dashboard.post('/reconciliation', window);
    await asked;
    const second = await host.dashboard.post('/reconciliation', window);
    expect(second.status).toBe(409);
    expect(second.text).toContain('Only one runs at a time');
    goOn();
    expect((await first).status).toBe(200);
    expect((await host.dashboard.post('/reconciliation', window)).status).toBe(200);
  });
});
