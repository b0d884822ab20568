import { beforeAll, describe, expect, it } from '@jest/globals';
import { linksOf } from '../../support/dashboard.visitor.js';
import { DashboardHost, PHONE, cellsOf, SECRET_DIGITS } from './dashboard.fixture.js';

describe('The list of anomalies', () => {
  const host = DashboardHost.shared();
  let id = '';

  beforeAll(async () => {
    await host.open();
    id = await host.paid({ idempotencyKey: '=INV-1' });
    const { anomalies } = host.merchant.store;
    await anomalies.record('default', 'unknown status Waiting', id);
    await anomalies.record('default', 'unrecognised balance_sheet', 'delivery-1');
    await anomalies.record('default', `=1+1 of ${PHONE}`, '@KES');
  });

  it.each([
    ['about=operation', 'unknown status Waiting'],
    ['about=delivery', 'unrecognised balance_sheet'],
    ['about=other&from=2020-01-01&zone=UTC', '=1+1 of'],
  ])('has only what fits with the filter %s, also in its file', async (filter, what) => {
    const { text } = await host.dashboard.get(`/anomalies?${filter}`);
    expect(text).toContain(what);
    expect(text.match(/<tr>/g)).toHaveLength(2);
    expect(linksOf(text)).toContain(`./anomalies.csv?${filter}`);
    const rows = cellsOf((await host.dashboard.get(`/anomalies.csv?${filter}`)).text);
    expect(rows).toHaveLength(1);
    expect(rows[0]!['anomaly']).toContain(what);
  });

  it('says that nothing fits', async () => {
    const { text } = await host.dashboard.get('/anomalies?to=2020-01-01');
    expect(text).toContain('No anomalies match.');
  });

  it('has a file in which texts are no formulas and phone numbers are masked', async () => {
    const { text } = await host.dashboard.get('/anomalies.csv');
    const rows = cellsOf(text);
    expect(rows).toHaveLength(3);
    expect(rows).toContainEqual({
      anomaly: expect.stringMatching(/^'=1\+1 of /),
      ofItsKind: '1',
      at: expect.any(String),
      about: '',
      example: `'@KES`,
      orderNumber: '',
    });
    expect(rows).toContainEqual(
      expect.objectContaining({ about: 'operation', example: id, orderNumber: `'=INV-1` }),
    );
    expect(text.replace(/\s/g, '')).not.toContain(SECRET_DIGITS);
  });

  it.each([
    ['about=weather', 'There is no such entry'],
    ['from=soon', 'This is not a date'],
  ])('refuses %s, says beside the field: %s, and makes no file of it', async (filter, problem) => {
    for (const path of [`/anomalies?${filter}`, `/anomalies.csv?${filter}`]) {
      const { status, text } = await host.dashboard.get(path);
      expect({ path, status }).toEqual({ path, status: 400 });
      expect(text).toMatch(new RegExp(`field-error[^>]*>${problem}`));
    }
  });
});
