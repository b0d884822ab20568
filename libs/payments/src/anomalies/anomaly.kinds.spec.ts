import { describe, expect, it } from '@jest/globals';
import { ANOMALY, anomalyName, anomalySubject } from './anomaly.kinds.js';

const KINDS = Object.entries(ANOMALY) as [string, string | ((...quoted: string[]) => string)][];

describe('The name of an anomaly', () => {
  it.each(KINDS)('of the kind %s is that kind, whatever its text quotes', (name, text) => {
    const quotes = ['Waiting', 'of +254700000001', 'a.b (c) [d]\nwith a line', 'while', ''];
    for (const quoted of quotes) {
      const written = typeof text === 'string' ? text : text(quoted, 'pending');
      expect(anomalyName(written)).toBe(name);
    }
  });

  it('that an older version recorded is "other"', () => {
    expect(anomalyName('something of +254700000001')).toBe('other');
  });
});

describe('The example of an anomaly', () => {
  it.each([
    [ANOMALY.unknownStatus('Waiting'), 'operation'],
    [ANOMALY.anotherAmount, 'transaction'],
    [ANOMALY.unrecognised('transaction of two requests'), 'delivery'],
    [ANOMALY.pollingResultTooLarge, null],
    ['something that an older version recorded', null],
  ])('of %p names a stored %s', (what, subject) => {
    expect(anomalySubject(what)).toBe(subject);
  });
});
