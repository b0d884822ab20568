import { expect, it } from '@jest/globals';
import { misspeltVariables, pathOf } from './environment-variables.js';

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
  expect(misspeltVariables(['PAYMENTS_PORT', 'PAYMENTS_QUEUE_SIZE', 'BASE_URL'])).toEqual([]);
});

it.each([
  ['that of the option, which may be empty', { path: '' }, 'money', ''],
  ['that of the variable, when there is no option', {}, ' money ', 'money'],
  ['the default, when the variable is empty', {}, ' ', 'payments'],
  ['the default, when there is neither', {}, undefined, 'payments'],
])('The path of the routes is %s', (_, options, variable, path) => {
  expect(pathOf(options, () => variable)).toBe(path);
});
