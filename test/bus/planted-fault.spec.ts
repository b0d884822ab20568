import { describe, expect, it } from '@jest/globals';
import { timesInSource } from '../support/source.fault.js';
import { acknowledgedBeforeTheConfirm } from './planted.fault.js';

describe('The fault that npm run test:bus plants', () => {
  it('still fits the source of the forwarder', () => {
    expect(timesInSource(acknowledgedBeforeTheConfirm)).toBe(1);
  });
});
