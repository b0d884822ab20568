import { describe, expect, it } from '@jest/globals';
import { ANOMALY, anomalyKind, anomalySubject } from './anomalies.store.js';

const KINDS = Object.entries(ANOMALY) as [string, string | ((...quoted: string[]) => string)][];

describe('The kind of an anomaly', () => {
  it.each(KINDS)('%s is found, whatever its text quotes', (name, text) => {
    const quotes = ['Waiting', 'of +254700000001', 'a.b (c) [d]\nwith a line', 'while', ''];
    for (const quoted of quotes) {
      const written = typeof text === 'string' ? text : text(quoted, 'pending');
      expect(anomalyKind(written)).toBe(name);
    }
  });

  it('is "other" for a text that an older version recorded', () => {
    expect(anomalyKind('something of +254700000001')).toBe('other');
  });
});

describe('The example of an anomaly', () => {
  it.each([
    [ANOMALY.unknownStatus('Waiting'), 'an operation', 'operation'],
    [ANOMALY.anotherAmount, 'a transaction', 'transaction'],
    [ANOMALY.unrecognised('transaction of two requests'), 'a delivery', 'delivery'],
    ['something that an older version recorded', 'nothing', null],
  ])('with the text "%s" names %s that is stored', (what, _, subject) => {
    expect(anomalySubject(anomalyKind(what))).toBe(subject);
  });
});
