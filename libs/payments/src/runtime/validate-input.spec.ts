import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { Type } from 'class-transformer';
import { IsEmail, IsOptional, MaxLength, ValidateNested } from 'class-validator';
import { PaymentsValidationError, type FieldProblem } from '../payments.errors.js';
import { filled, Satisfies, validateInput } from './validate-input.js';

class Inner {
  @Satisfies(filled)
  name: string;
}

class Outer {
  @ValidateNested()
  @Type(() => Inner)
  inner: Inner;

  @IsOptional()
  @MaxLength(3, { message: 'too long for the platform' })
  code?: string;

  @IsOptional()
  @IsEmail()
  email?: string;
}

function problems(input: unknown): readonly FieldProblem[] {
  try {
    validateInput(Outer, input);
  } catch (error) {
    if (error instanceof PaymentsValidationError) return error.problems;
    throw error;
  }
  return [];
}

describe('an input', () => {
  it.each([[null], [undefined], ['text'], [7], [[]]])('that is %j is refused', (input) => {
    expect(problems(input)).toEqual([{ field: 'the input', problem: 'must be an object' }]);
  });

  it('causes an error that names each wrong field by its path', () => {
    const found = problems({ inner: { name: ' ' }, code: 'ABCD', more: 1 });
    expect(Object.fromEntries(found.map(({ field, problem }) => [field, problem]))).toEqual({
      'inner.name': 'must be a text that is not empty',
      code: 'too long for the platform',
      more: 'is not a field of this request',
    });
  });

  it('that has a field named constructor is refused, and causes no other error', () => {
    expect(problems({ inner: { name: { constructor: 'x' } } })).toEqual([
      { field: 'the input', problem: expect.stringContaining('no field that is named') },
    ]);
  });

  it.each(['Ja\0ne', 'Jane \ud83d', '\ude00'])(
    'with a text that cannot be stored as it is (%j) is refused: its repeat would not equal it',
    (name) => {
      const unstorable = { problem: expect.stringContaining('no database stores') };
      expect(problems({ inner: { name } })).toEqual([{ field: 'inner.name', ...unstorable }]);
    },
  );

  it('with half of a surrogate pair in an e-mail address is refused by its field', () => {
    expect(problems({ inner: { name: 'Jane' }, email: 'jane\ud83d@shop.example' })).toEqual([
      { field: 'email', problem: expect.stringContaining('half of a surrogate pair') },
    ]);
  });

  it('with an emoji is valid', () => {
    expect(problems({ inner: { name: 'Jane 😀' } })).toEqual([]);
  });

  it('that is valid is returned as an instance of its class', () => {
    const checked = validateInput(Outer, { inner: { name: 'Jane' } });
    expect(checked).toBeInstanceOf(Outer);
    expect(checked.inner).toBeInstanceOf(Inner);
    expect(checked.inner.name).toBe('Jane');
  });
});
