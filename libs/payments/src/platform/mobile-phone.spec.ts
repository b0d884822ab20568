import { describe, expect, it } from '@jest/globals';
import { readMobilePhone } from './input.dto.js';

/** Numbers in the examples of the platform's guide and of its clients. No network has them. */
const SAMPLES = ['+254999999999', '+254911222536', '+254888888888', '+254123456789'];
const PRODUCTION = ['https://api.kopokopo.com', 'https://payments.example', 'not a URL'];
const SANDBOXES = [
  'https://sandbox.kopokopo.com',
  'https://api-sandbox.kopokopo.com',
  'http://127.0.0.1:4010',
  'http://localhost:4010',
];

const read = (text: string, baseUrl: string, currency = 'KES'): unknown =>
  readMobilePhone(text, { baseUrl, defaultCountry: 'KE' }, currency);

describe('a phone number of the platform’s examples', () => {
  it.each(SANDBOXES.flatMap((url) => SAMPLES.map((sample) => [sample, url] as const)))(
    '%s is taken where the platform is %s',
    (sample, url) => expect(read(sample, url)).toEqual({ phoneNumber: sample }),
  );

  it('is taken as people write it', () => {
    expect(read('0911 222 536', SANDBOXES[0]!)).toEqual({ phoneNumber: '+254911222536' });
  });

  it.each(PRODUCTION.flatMap((url) => SAMPLES.map((sample) => [sample, url] as const)))(
    '%s is refused where the platform is %s, with the cure and without the number',
    (sample, url) => {
      const { problem } = read(sample, url) as { problem: string };
      expect(problem).toMatch(/only the platform's sandbox.*baseUrl/);
      expect(problem).not.toContain(sample.slice(4));
    },
  );

  it('is a number of Kenya', () => {
    expect(read(SAMPLES[0]!, SANDBOXES[0]!, 'UGX')).toEqual({
      problem: 'is a number of KE; only mobile phones of UG can pay or receive UGX',
    });
  });
});

describe('any other phone number', () => {
  it.each(['+254202222222', '0202222222', '+25499999999', '+2549999999999', '+256999999999', '12'])(
    '%s that no mobile phone has is refused in the sandbox, too',
    (text) => expect(read(text, SANDBOXES[0]!)).toHaveProperty('problem'),
  );

  it('is read in production as in the sandbox', () => {
    for (const url of [...PRODUCTION, ...SANDBOXES])
      expect(read('0700000001', url)).toEqual({ phoneNumber: '+254700000001' });
  });

  it('is read whatever was read before it', () => {
    expect(read(SAMPLES[0]!, SANDBOXES[0]!)).toHaveProperty('phoneNumber');
    expect(read(SAMPLES[0]!, PRODUCTION[0]!)).toHaveProperty('problem');
    expect(read(SAMPLES[0]!, SANDBOXES[0]!)).toHaveProperty('phoneNumber');
  });
});
