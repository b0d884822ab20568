import { describe, expect, it } from '@jest/globals';
import { PaymentsValidationError } from '@tillkit/payments';
import { customerProblems, fieldText, PHONE_PROBLEM, splitName } from './checkout.form.js';

describe('fieldText', () => {
  it.each([undefined, null, ['a'], { a: 1 }, 7])('reads %j as an empty field', (value) => {
    expect(fieldText(value)).toBe('');
  });

  it('removes white space around the text', () => {
    expect(fieldText('  Jane  ')).toBe('Jane');
  });
});

describe('splitName', () => {
  it.each([
    ['Jane Doe', 'Jane', 'Doe'],
    ['Jane  van der  Doe', 'Jane', 'van der Doe'],
    ['Jane', 'Jane', '-'],
  ])('splits "%s" into "%s" and "%s"', (name, firstName, lastName) => {
    expect(splitName(name)).toEqual({ firstName, lastName });
  });
});

describe('customerProblems', () => {
  const problems = (...fields: string[]) =>
    customerProblems(
      new PaymentsValidationError(fields.map((field) => ({ field, problem: 'is wrong' }))),
    );

  it('assigns each problem to its field', () => {
    expect(problems('subscriber.phoneNumber')).toEqual({ phone: PHONE_PROBLEM });
    expect(problems('subscriber.lastName', 'subscriber.phoneNumber')).toHaveProperty('name');
  });

  it('returns null for an error that only the shop can correct', () => {
    expect(problems('subscriber.phoneNumber', 'tillNumber')).toBeNull();
    expect(customerProblems(new Error('database away'))).toBeNull();
  });
});
