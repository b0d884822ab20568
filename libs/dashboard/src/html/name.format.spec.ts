import { describe, expect, it } from '@jest/globals';
import { fullName, maskedName } from './name.format.js';

describe('A name', () => {
  it.each([
    [['Jane', 'Doe'], 'Jane Doe'],
    [['Jane', null, 'Doe'], 'Jane Doe'],
    [['Tabs', '-'], 'Tabs'],
    [['Tabs', undefined, '.'], 'Tabs'],
    [['\u0648', '\u0645'], '\u0648 \u0645'],
    [['', ''], ''],
  ])('of the parts %j is shown as "%s"', (parts, shown) => {
    expect(fullName(parts)).toBe(shown);
  });

  it.each([
    [['0712345678', '-'], '••••••••78'],
    [['0712', '345678'], '•••• ••••78'],
    [['Jane', '+254712345678'], 'Jane +••••••••••78'],
    [['Jane', 'Doe'], 'Jane Doe'],
  ])('of the parts %j is shown without a phone number as "%s"', (parts, shown) => {
    expect(maskedName(parts)).toBe(shown);
  });
});
