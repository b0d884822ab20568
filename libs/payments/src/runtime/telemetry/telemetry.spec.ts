import { describe, expect, it } from '@jest/globals';
import { PlatformTimeoutError } from '../../platform.errors.js';
import { errorType, urlTemplateOf } from './telemetry.js';
import { METRICS, type Metric } from './metrics-list.js';
import { currentTraceparent, inSpan, linkActiveSpan, readTraceparent } from './spans.js';

describe('Without an SDK', () => {
  it('a span only runs its work, and passes on what it returns and throws', async () => {
    const of = { name: 'work', kind: 'internal', attributes: {}, links: ['nonsense'] } as const;
    const result = await inSpan(of, async (span) => {
      span.set({ a: 1 });
      span.fail('x');
      linkActiveSpan(undefined, {});
      return currentTraceparent() ?? 'no span is active';
    });
    expect(result).toBe('no span is active');
    const error = new Error('of the work');
    await expect(inSpan(of, () => Promise.reject(error))).rejects.toBe(error);
  });
});

describe('A stored span', () => {
  it('is read as the W3C writes it', () => {
    const text = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    expect(readTraceparent(text)).toEqual({
      traceId: '0af7651916cd43dd8448eb211c80319c',
      spanId: 'b7ad6b7169203331',
      traceFlags: 1,
      isRemote: true,
    });
  });

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['an empty text', ''],
    ['another version', '01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'],
    ['a trace of zeros', `00-${'0'.repeat(32)}-b7ad6b7169203331-01`],
    ['a span of zeros', `00-0af7651916cd43dd8448eb211c80319c-${'0'.repeat(16)}-01`],
    ['too much', '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-x'],
  ])('is not read from %s', (_, text) => {
    expect(readTraceparent(text)).toBeUndefined();
  });
});

describe('The template of a URL', () => {
  it.each([
    ['/api/v2/incoming_payments', '/api/v2/incoming_payments'],
    ['/api/v2/incoming_payments/247b1bd8', '/api/v2/incoming_payments/{id}'],
    ['/api/v2/payment_links/254700000001/cancel', '/api/v2/payment_links/{id}/cancel'],
    ['/oauth/token/info', '/oauth/token/info'],
    ['/oauth/token/info/more', '/oauth/token/info/more'],
  ])('of %s is %s', (path, template) => {
    expect(urlTemplateOf(path)).toBe(template);
  });
});

describe('The type of an error', () => {
  it('is a code of ours or the name of its class, and never its text', () => {
    expect(errorType(new PlatformTimeoutError('x', new Error('y')))).toBe('PAYMENTS_TIMEOUT');
    expect(errorType(new RangeError('Jane Doe'))).toBe('RangeError');
    const named = Object.assign(new Error('x'), { name: 'of +254700000001' });
    expect(errorType(named)).toBe('_OTHER');
    expect(errorType('Jane Doe')).toBe('_OTHER');
  });
});

describe('A histogram', () => {
  const metrics: readonly Metric[] = Object.values(METRICS);
  const histograms = metrics.filter(({ type }) => type === 'histogram');

  it.each(histograms.map(({ name, boundaries = [] }) => [name, boundaries] as const))(
    '%s has ten buckets or more, whose limits rise',
    (_, boundaries) => {
      expect(boundaries.length).toBeGreaterThanOrEqual(10);
      expect(boundaries).toEqual(boundaries.toSorted((one, other) => one - other));
    },
  );
});
