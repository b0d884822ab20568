import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SafeLogger } from './logging.js';

describe('A line of the log', () => {
  const lines: unknown[][] = [];
  const logger = new SafeLogger();

  beforeEach(() => {
    lines.length = 0;
    const keep = (...line: unknown[]): number =>
      lines.push(line.filter((part) => part !== undefined));
    Logger.overrideLogger({ log: keep, warn: keep, error: keep, debug: keep });
  });
  afterEach(() => void Logger.overrideLogger(false));

  it.each(['debug', 'log', 'warn', 'error'] as const)(
    'written with %s cannot be forged by a text of the platform',
    (level) => {
      logger[level]('topic a\nERROR paid\u001B[2J\u202Eevil\u2028next is unknown');
      expect(lines).toEqual([
        ['topic a\\u000aERROR paid\\u001b[2J\\u202eevil\\u2028next is unknown', 'Tillkit'],
      ]);
    },
  );

  it('contains no phone number', () => {
    logger.warn('refused: +254700000001 is unknown, 254700000001. And 0700000001,');
    expect(lines[0]?.[0]).toBe('refused: +••••••••••01 is unknown, ••••••••••01. And ••••••••01,');
  });

  it.each([
    ['x\n0712345678', 'x\\u000a••••••••78'],
    ['x\t254712345678 y', 'x\\u0009••••••••••78 y'],
    ['phone=%2B254712345678', 'phone=%2B••••••••••78'],
    [String.raw`\u002b254712345678`, String.raw`\u002b••••••••••78`],
    ['+254 712 345 678', '+••• ••• ••• •78'],
    ['0712-345-678', '••••-•••-•78'],
    ['tel_0712345678', 'tel_••••••••78'],
    ['0712345678x', '••••••••78x'],
  ])('contains no phone number of the text %j', (line, written) => {
    logger.warn(line);
    expect(lines[0]?.[0]).toBe(written);
  });

  it('contains no part of a phone number on which it is cut', () => {
    logger.warn(`${'x'.repeat(1_990)} +254700000001`);
    expect(lines[0]?.[0]).toBe(`${'x'.repeat(1_990)} +••••••••`);
  });

  it('contains ids and amounts as they are', () => {
    const line =
      'payment 6fa459ea-ee8a-3ca4-894e-123456789012 of KES 1234567.00, reference QKL123456789, REF-987654321';
    logger.warn(line);
    expect(lines[0]?.[0]).toBe(line);
  });

  it('keeps the lines of a stack, and nothing else that could move the cursor', () => {
    logger.error('failed', {}, 'Error: a\u0007b\n    at here');
    expect(lines).toEqual([[{ msg: 'failed', stack: 'Error: a\\u0007b\n    at here' }, 'Tillkit']]);
    expect(String(lines[0]?.[0])).toBe('failed\nError: a\\u0007b\n    at here');
  });

  it('has the id of an event as it is, also when its digits look like a phone number, and masks what is none', () => {
    logger.warn('a listener failed', { eventId: '05729b47e896c254700000001fc8ff88' });
    logger.warn('a listener failed', { eventId: 'c254700000001f' });
    expect(lines.map(([line]) => line)).toMatchObject([
      { eventId: '05729b47e896c254700000001fc8ff88' },
      { eventId: 'c••••••••••01f' },
    ]);
  });

  it('has what it is about as fields, masked as the sentence is', () => {
    logger.warn('a listener failed', {
      account: 'shop',
      eventId: 'e1',
      listener: 'of +254700000001\nERROR',
      attempt: 2,
    });
    expect(lines).toEqual([
      [
        {
          msg: 'a listener failed',
          account: 'shop',
          eventId: 'e1',
          listener: 'of +••••••••••01\\u000aERROR',
          attempt: 2,
        },
        'Tillkit',
      ],
    ]);
    expect(String(lines[0]?.[0])).toBe(
      'a listener failed account=shop eventId=e1 listener=of +••••••••••01\\u000aERROR attempt=2',
    );
  });

  it('that a request can cause is written again after lines for thousands of other causes', () => {
    const seldom = new SafeLogger(() => 0);
    for (let cause = 0; cause < 3_000; cause += 1) {
      seldom.seldom('warn', `${cause}`, 'refused');
      seldom.seldom('warn', `${cause}`, 'refused');
    }
    expect(lines).toHaveLength(3_000);
    seldom.seldom('warn', '0', 'refused');
    expect(lines).toHaveLength(3_001);
  });

  it('that a request can cause is written once in ten seconds, and the next one says how many were left out', () => {
    let now = 0;
    const seldom = new SafeLogger(() => now);
    for (now of [0, 9_999, 10_000, 19_999]) seldom.seldom('warn', 'cause', 'refused');
    expect(lines.map(([line]) => String(line))).toEqual([
      'refused',
      'refused (and 1 more like it since the last such line)',
    ]);
  });

  it('is at most 2,000 characters long', () => {
    logger.warn('x'.repeat(1_000_000));
    expect(lines[0]?.[0]).toHaveLength(2_000);
  });
});

describe('A logger of the host that throws', () => {
  afterEach(() => void Logger.overrideLogger(false));

  it.each(['debug', 'log', 'warn', 'error'] as const)(
    'harms nobody who writes a line with %s',
    (level) => {
      const full = (): never => {
        throw new Error('ENOSPC: no space left on device');
      };
      Logger.overrideLogger({ log: full, warn: full, error: full, debug: full });
      const logger = new SafeLogger();
      expect(() => logger[level]('a line')).not.toThrow();
      expect(() => logger.seldom('warn', 'cause', 'a line')).not.toThrow();
    },
  );
});
