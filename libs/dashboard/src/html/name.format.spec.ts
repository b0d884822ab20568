import { describe, expect, it } from '@jest/globals';
import { fullName } from './name.format.js';

describe('A name', () => {
  it.each([
    [['Jane', 'Doe'], 'Jane Doe'],
    [['Jane', null, 'Doe'], 'Jane Doe'],
    [['Tabs', '-'], 'Tabs'],
    [['Tabs', undefined, '.'], 'Tabs'],
    [['\u0648', '\u0645'], '\u0648 \u0645'],
    [['', ''], ''],
  ])('of the parts %j is shown as %s', (parts, shown) => {
    expect(fullName(parts)).toBe(shown);
  });
});
