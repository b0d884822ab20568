import { expect, it } from '@jest/globals';
import { sendBeforeProblem, sendingTime } from './sending.js';

const SETTINGS = { sendBeforeMs: 60_000 };

it('The time to send a request is that of the settings unless the request has a shorter one', () => {
  expect(sendingTime(undefined, SETTINGS)).toBe(60_000);
  expect(sendingTime(5_000, SETTINGS)).toBe(5_000);
  expect(sendingTime(60_000, SETTINGS)).toBe(60_000);
});

it('A longer time to send than that of the settings counts as the time of the settings', () => {
  expect(sendingTime(60_001, SETTINGS)).toBe(60_000);
});

it.each([0, -1, 1.5, Number.NaN, '5000'])('The time to send a request cannot be %p', (value) => {
  expect(sendBeforeProblem(value)).toBe('must be a whole number of milliseconds above 0');
});
