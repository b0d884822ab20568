import { describe, expect, it } from '@jest/globals';
import type { ReportLine } from '@tillkit/payments';
import { reportCsv } from './report.csv.js';

const LINE: ReportLine = {
  reference: 'REF',
  tillNumber: '514459',
  amountHere: '100.0',
  amountThere: null,
  currency: 'KES',
  originatedAt: '2026-11-21T14:05:09Z',
  paymentId: null,
  difference: null,
};

const fileOf = (reference: string): string =>
  reportCsv({
    from: '',
    to: '',
    matched: [],
    missingHere: [],
    missingThere: [{ ...LINE, reference }],
    different: [],
  });

describe('the file of a report', () => {
  it('has a line for each, with its list', () => {
    expect(fileOf('REF').split('\r\n')).toEqual([
      'list,reference,tillNumber,currency,amountHere,amountThere,originatedAt,paymentId,difference',
      'missingThere,REF,514459,KES,100.0,,2026-11-21T14:05:09Z,,',
      '',
    ]);
  });

  it.each([
    ['=1+2', `'=1+2`],
    ['+1', `'+1`],
    ['-1', `'-1`],
    ['@SUM(A1)', `'@SUM(A1)`],
    ['\t=1', `'\t=1`],
    ['\r=1', `"'\r=1"`],
    ['a,b', '"a,b"'],
    ['a"b', '"a""b"'],
    ['a\nb', '"a\nb"'],
  ])('keeps %j from acting', (reference, cell) => {
    expect(fileOf(reference)).toContain(`missingThere,${cell},514459`);
  });
});
