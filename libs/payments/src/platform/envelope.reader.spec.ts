import { describe, expect, it } from '@jest/globals';
import { expectEnvelope, readEnvelope } from './wire-value.js';

const body = (changes: object = {}): unknown => ({
  data: { id: 'one', type: 'polling', attributes: { status: 'Success' }, ...changes },
});

describe('the envelope of a resource', () => {
  it.each<[string, unknown]>([
    ['no object', 'text'],
    ['no data', {}],
    ['no attributes', body({ attributes: undefined })],
    ['attributes that are a list', body({ attributes: [] })],
    ['no id', body({ id: undefined })],
    ['an id that would change a URL', body({ id: '../one' })],
    ['no type', body({ type: null })],
  ])('is not recognised with %s', (_, wire) => {
    expect(readEnvelope(wire)).toBeNull();
    expect(() => expectEnvelope('get polling', wire, 'one')).toThrow(/no resource with id, type/);
  });

  it('is refused when it describes another resource than the requested one', () => {
    expect(() => expectEnvelope('get polling', body(), 'two')).toThrow(/another resource/);
  });

  it('is refused when it has another type', () => {
    expect(() => expectEnvelope('get polling', body(), 'one', 'incoming_payment')).toThrow(
      /its type is not "incoming_payment"/,
    );
  });

  it('has only links that are text', () => {
    const links = { callback_url: { href: 'x' }, self: 'https://platform.example/one' };
    expect(readEnvelope(body({ attributes: { _links: links } }))?.links).toEqual({
      callbackUrl: null,
      self: 'https://platform.example/one',
    });
    expect(readEnvelope(body())?.links).toEqual({ callbackUrl: null, self: null });
  });

  it('contains no MAC of a callback URL, neither in its links nor in its raw object', () => {
    const mac = 'm'.repeat(43);
    const links = { callback_url: `https://shop.example/payments/callbacks/polling/x/${mac}` };
    const envelope = readEnvelope(body({ attributes: { _links: links } }));
    expect(envelope?.links.callbackUrl).toContain('/callbacks/polling/x/~');
    expect(JSON.stringify(envelope)).not.toContain(mac);
  });
});
