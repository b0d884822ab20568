import { expect, it } from '@jest/globals';
import { misspeltVariables, pathOf, VARIABLES } from './environment-variables.js';

it.each([
  ['PAYMENTS_TILL', 'PAYMENTS_TILL_NUMBER or PAYMENTS_TILLS or PAYMENTS_TILL_ALIASES'],
  ['PAYMENTS_API_KEY', 'PAYMENTS_API_KEYS'],
  ['PAYMENTS_CLEINT_ID', 'PAYMENTS_CLIENT_ID'],
  ['PAYMENTS_BASEURL', 'PAYMENTS_BASE_URL'],
  ['PAYMENTS_COUNTRY', 'PAYMENTS_DEFAULT_COUNTRY'],
  ['PAYMENTS_TILL_NUMBERS', 'PAYMENTS_TILL_NUMBER or PAYMENTS_TILLS'],
])('The unknown variable %s is reported with the name that may be meant', (name, meant) => {
  expect(misspeltVariables([name])).toEqual([`${name} is not read: did you mean ${meant}?`]);
});

const KNOWN = [
  ...Object.values(VARIABLES),
  'PAYMENTS_PATH',
  'PAYMENTS_DATABASE_URL',
  'PAYMENTS_DATABASE_READ_URL',
];

/** Returns a name with one letter that is missing, doubled, another one, or that stands before the one that it should follow. */
function typosOf(name: string): string[] {
  return Array.from(name, (letter, at) => {
    const [before, after] = [name.slice(0, at), name.slice(at + 1)];
    const swapped = after === '' ? [] : [before + after[0] + letter + after.slice(1)];
    return [before + after, before + letter + letter + after, `${before}X${after}`, ...swapped];
  })
    .flat()
    .filter((typo) => !KNOWN.includes(typo));
}

it.each(KNOWN)('A variable whose name has one letter wrong is reported: %s', (name) => {
  for (const typo of typosOf(name))
    expect(misspeltVariables([typo])).toEqual([
      expect.stringMatching(new RegExp(`^${typo} is not read: did you mean .*\\b${name}\\b.*\\?$`)),
    ]);
});

it('A variable whose name has the one of an option that is given is not reported', () => {
  const given = ['PAYMENTS_SHOP_CLIENT_ID', 'PAYMENTS_SHOP_API_KEYS'];
  expect(misspeltVariables(given, { clientId: 'id', apiKeys: [] })).toEqual([]);
  expect(misspeltVariables(given, { clientId: undefined, apiKeys: [] })).toEqual([
    'PAYMENTS_SHOP_CLIENT_ID is not read: did you mean PAYMENTS_CLIENT_ID?',
  ]);
});

it('A variable that resembles one that is set is not reported', () => {
  const given = [
    'PAYMENTS_TILL',
    'PAYMENTS_TILL_NUMBER',
    'PAYMENTS_TILLS',
    'PAYMENTS_TILL_ALIASES',
  ];
  expect(misspeltVariables(given)).toEqual([]);
});

it('Variables of the host are not reported, although they begin like ours', () => {
  const own = ['PAYMENTS_PORT', 'PAYMENTS_QUEUE_SIZE', 'BASE_URL', 'PAYMENT_PROVIDER', 'CHANNEL'];
  expect(misspeltVariables(own)).toEqual([]);
});

it.each([
  ['that of the option, which may be empty', { path: '' }, 'money', ''],
  ['that of the variable, when there is no option', {}, ' money ', 'money'],
  ['the default, when the variable is empty', {}, ' ', 'payments'],
  ['the default, when there is neither', {}, undefined, 'payments'],
])('The path of the routes is %s', (_, options, variable, path) => {
  expect(pathOf(options, () => variable)).toBe(path);
});
