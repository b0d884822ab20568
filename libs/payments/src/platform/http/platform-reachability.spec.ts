import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SETTINGS } from '../../testing/ledger.fixture.js';
import { PlatformReachability } from './platform-reachability.js';

describe('The log of a platform that cannot be used', () => {
  let platform: PlatformReachability;
  const lines: string[] = [];
  const late = (one: PlatformReachability): void =>
    one.unanswered('no answer in 10000 ms', 'check the firewall', true);
  const refused = (one: PlatformReachability): void =>
    one.unanswered('ECONNREFUSED', 'check the firewall', false);

  beforeEach(() => {
    lines.length = 0;
    const keep = (line: unknown): number => lines.push(String(line));
    Logger.overrideLogger({ log: keep, warn: keep, error: keep });
    platform = new PlatformReachability(SETTINGS, SETTINGS.baseUrl);
  });
  afterEach(() => void Logger.overrideLogger(false));

  it('has one line for a refused connection, and one when it answers again', () => {
    for (let n = 0; n < 10; n += 1) refused(platform);
    for (let n = 0; n < 10; n += 1) platform.answered(200);
    expect(lines).toEqual([
      expect.stringMatching(/cannot be used \(ECONNREFUSED\): check the firewall/),
      expect.stringMatching(/answers again/),
    ]);
  });

  it.each([
    ['answers late', (one: PlatformReachability) => late(one)],
    ['answers 503', (one: PlatformReachability) => one.answered(503)],
  ])('has a line when it %s three times in a row', (_, fail) => {
    for (let n = 0; n < 2; n += 1) fail(platform);
    platform.answered(404);
    for (let n = 0; n < 2; n += 1) fail(platform);
    expect(lines).toEqual([]);
    fail(platform);
    expect(lines).toHaveLength(1);
  });

  it('has one line for a platform that refuses every second connection', () => {
    for (let n = 0; n < 100; n += 1) {
      refused(platform);
      platform.answered(200);
    }
    expect(lines).toHaveLength(1);
  });
});
