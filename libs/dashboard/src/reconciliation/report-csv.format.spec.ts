import { describe, expect, it } from '@jest/globals';
import type { ReportLine } from '@tillkit/payments/types';
import { reportCsv } from './report-csv.format.js';

const LINE: ReportLine = {
  reference: 'REF',
  tillNumber: '514459',
  amountHere: '100.0',
  amountThere: null,
  currency: 'KES',
  originatedAt: '2026-11-21T14:05:09Z',
  paymentId: null,
  paymentLinkId: null,
  difference: null,
};

const csvWith = (reference: string): string =>
  reportCsv({
    from: '',
    to: '',
    matched: [],
    missingHere: [],
    missingThere: [{ ...LINE, reference }],
    different: [],
  });

describe('The CSV file of a report', () => {
  it('has a header and one row for each line, with the name of its list and every cell quoted', () => {
    expect(csvWith('REF').split('\r\n')).toEqual([
      '\ufeff"list","reference","tillNumber","currency","amountHere","amountThere","originatedAt","paymentId","paymentLinkId","difference"',
      '"missingThere","REF","514459","KES","100.0","","2026-11-21T14:05:09Z","","",""',
      '',
    ]);
  });

  it.each([
    ['=1+2', `'=1+2`],
    ['+1', `'+1`],
    ['-1', `'-1`],
    ['@SUM(A1)', `'@SUM(A1)`],
    ['\t=1', `'\t'=1`],
    ['\r=1', `'\r'=1`],
    [' =1', `' =1`],
    ['"=1"', `'""=1""`],
    ['\uff1d1', `'\uff1d1`],
    ['\uff0b1', `'\uff0b1`],
    ['\uff0d1', `'\uff0d1`],
    ['\uff20SUM(A1)', `'\uff20SUM(A1)`],
  ])('puts an apostrophe before a cell that begins like a formula: %j', (reference, cell) => {
    expect(csvWith(reference)).toContain(`"missingThere","${cell}","514459"`);
  });

  it.each([
    ['R;=1+1', `R;'=1+1`],
    ['R,=1+1', `R,'=1+1`],
    ['R|=1+1', `R|'=1+1`],
    ['R\t=1+1', `R\t'=1+1`],
    ['R\n=1+1', `R\n'=1+1`],
    ['R; =1+1', `R;' =1+1`],
    ['R;\uff1d1', `R;'\uff1d1`],
    ['R;"=1"', `R;'""=1""`],
    ['R","=1+1', `R"",'""=1+1`],
  ])('puts an apostrophe before a formula after a separator in a cell: %j', (reference, cell) => {
    expect(csvWith(reference)).toContain(`"missingThere","${cell}","514459"`);
  });

  it.each(['R-1', 'R;1', 'R, S = 1'])('keeps a cell without a formula: %j', (reference) => {
    expect(csvWith(reference)).toContain(`"missingThere","${reference}","514459"`);
  });
});
