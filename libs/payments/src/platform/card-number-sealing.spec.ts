import { describe, expect, it } from '@jest/globals';
import { lastDigits, sealCardNumber, sealCardNumbers } from './card-number-sealing.js';

const CARD = '4111111111111111';

const jsonEscape = (text: string): string =>
  text.replace(/./g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);

describe('A card number in a body', () => {
  it.each([
    ['as text', `"${CARD}"`, '1111'],
    ['as a number', CARD, '1111'],
    ['as a number of nineteen digits', '4111111111111111234', '1234'],
    ['with spaces', '"4111 1111 1111 1111"', '1111'],
    ['with hyphens', '"4111-1111-1111-1111"', '1111'],
    ['masked in the middle', '"411111******1111"', '1111'],
    ['masked at the end', '"4111111111******"', null],
    ['of three digits', '"111"', '111'],
    ['as JSON escapes', `"${jsonEscape(CARD)}"`, '1111'],
    ['with a sign', '-4111111111111111', null],
    ['with an exponent', '4.111e15', null],
    ['in a list', `["${CARD}"]`, null],
    ['in an object', `{"value":"${CARD}"}`, null],
    ['in an object in an object', `{"shown":{"value":"${CARD}"},"a":["}"]}`, null],
    ['in a list of objects', `[{"a":"]"},{"value":${CARD}}]`, null],
    ['that is empty', '""', ''],
    ['that is null', 'null', null],
  ])('%s is stored as at most its last four digits', (_, written, kept) => {
    const body = `{"event":{"resource":{"reference":"CARD1","customer_cc_number" : ${written},"amount":"10"}}}`;
    const stored = sealCardNumbers(body);
    expect(JSON.parse(stored)).toEqual({
      event: { resource: { reference: 'CARD1', customer_cc_number: kept, amount: '10' } },
    });
    expect(stored).not.toContain('41111');
    expect(sealCardNumbers(stored)).toBe(stored);
  });

  it.each([
    ['customer_cc_number', 'customer_cc_number'],
    ['card_number', 'card_number'],
    ['cardNumber', 'cardNumber'],
    ['payerCardNumber', 'payerCardNumber'],
    ['CC_NUMBER', 'CC_NUMBER'],
    ['creditcardnumber', 'creditcardnumber'],
    ['customer_cc_number, written in JSON escapes', jsonEscape('customer_cc_number')],
  ])('is sealed in the field %s, at any depth, each time it occurs', (_, name) => {
    const one = `{"${name}":"${CARD}"}`;
    const stored = sealCardNumbers(`{"a":[${one},{"b":${one}}],"${name}":"${CARD}"}`);
    expect(stored).not.toContain(CARD);
    expect(stored.match(/"1111"/g)).toHaveLength(3);
  });

  it.each(['Visa :}', ':]', 'a] b', '{"', '[{', '":', '\\', '\\" :[{'])(
    'is sealed after a field with the text %j',
    (text) => {
      const before = { system: text, tags: [text], [text]: text };
      const stored = sealCardNumbers(JSON.stringify({ before, customer_cc_number: CARD, text }));
      expect(JSON.parse(stored)).toEqual({ before, customer_cc_number: '1111', text });
    },
  );

  it.each([
    ['acc_number', '0110987654321'],
    ['accNumber', 4111111111111111],
    ['gift_card_number', 'GC-100245-X'],
    ['card_number', 1234],
    ['card_number', 'none'],
    ['card_number', true],
  ])('is not assumed in the field %s of a host with the value %j', (name, value) => {
    const body = JSON.stringify({ metadata: { [name]: value } });
    expect(sealCardNumbers(body)).toBe(body);
    const parsed = JSON.parse(body);
    sealCardNumber(parsed);
    expect(parsed).toEqual({ metadata: { [name]: value } });
  });

  it('leaves every other byte as it is', () => {
    const body =
      '{ "till_number" : "514459","account_number":4111111111111111, "note":"\\u0041 \\" customer_cc_number: 4111111111111111","a":[1,{"b":[]}] }';
    expect(sealCardNumbers(body)).toBe(body);
  });

  it.each(['"', '{"customer_cc_number":', '{"customer_cc_number":"41', '\\u', '"\\u00'])(
    'that ends early, such as %j, is no error',
    (body) => expect(() => sealCardNumbers(body)).not.toThrow(),
  );

  it('is sealed even if the body ends within it', () => {
    expect(sealCardNumbers(`{"customer_cc_number":"${CARD}`)).toBe('{"customer_cc_number":"1111"');
  });

  it('does not make long texts slow', () => {
    for (const piece of [
      '"',
      '\\u0041',
      '"a":',
      '"a":[',
      '{"a":{',
      '"card_number" ',
      '"card_number":[',
      '"card_number":{"a":',
    ])
      expect(sealCardNumbers(piece.repeat(200_000)).length).toBeGreaterThan(0);
  });
});

describe('A card number in an object', () => {
  it('is replaced in place by its last digits', () => {
    const raw = { customer_cc_number: CARD, till_number: '514459', card_number: null };
    sealCardNumber(raw);
    expect(raw).toEqual({ customer_cc_number: '1111', till_number: '514459', card_number: null });
  });

  it('is replaced at any depth', () => {
    const raw = { card: { customer_cc_number: CARD }, cards: [{ card_number: { value: CARD } }] };
    sealCardNumber(raw);
    expect(raw).toEqual({ card: { customer_cc_number: '1111' }, cards: [{ card_number: null }] });
  });

  it('that JavaScript cannot represent is not kept, because its last digits are others', () => {
    expect(lastDigits(4_111_111_111_111_111)).toBe('1111');
    expect(lastDigits(JSON.parse('4111111111111111234'))).toBeNull();
  });
});
