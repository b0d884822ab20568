import { describe, expect, it } from '@jest/globals';
import { csvOf, type CsvColumn } from './csv.format.js';

const COLUMNS: readonly CsvColumn<{ name: string | null; amount: string }>[] = [
  { name: 'name', cell: ({ name }) => name },
  { name: 'amount', isNumber: true, cell: ({ amount }) => amount },
];

describe('A CSV file', () => {
  it('has the names of its columns once, and every cell quoted', () => {
    const items = [{ name: 'Jane "J" Doe', amount: '1.00' }];
    expect(csvOf(COLUMNS, items, true)).toBe(
      '\ufeff"name","amount"\r\n"Jane ""J"" Doe","1.00"\r\n',
    );
    expect(csvOf(COLUMNS, items, false)).toBe('"Jane ""J"" Doe","1.00"\r\n');
  });

  it('has the names of its columns when it has no rows', () => {
    expect(csvOf(COLUMNS, [], true)).toBe('\ufeff"name","amount"\r\n');
  });

  it('keeps a negative number of our own, and makes no formula of a text', () => {
    expect(csvOf(COLUMNS, [{ name: '-1', amount: '-1.50' }], false)).toBe(`"'-1","-1.50"\r\n`);
  });

  it('has an empty cell for what is not known', () => {
    expect(csvOf(COLUMNS, [{ name: null, amount: '' }], false)).toBe('"",""\r\n');
  });
});
