import { describe, expect, it } from '@jest/globals';
import { errorStack, errorText } from './logging.js';

describe('the text of an error', () => {
  it.each([
    ['its message', new Error('it is away'), 'it is away'],
    [
      'what each address of a name has said, where all of them refused',
      new AggregateError([new Error('connect ECONNREFUSED ::1:1'), new Error('and 127.0.0.1:1')]),
      'connect ECONNREFUSED ::1:1; and 127.0.0.1:1',
    ],
    ['the value, if something else was thrown', 7, '7'],
    ['that there is none', Object.create(null), 'it threw something that has no text'],
  ])('is %s', (_, error, text) => {
    expect(errorText(error)).toBe(text);
  });

  it('leaves out the values of a statement, which Drizzle puts into its message', () => {
    const cause = new Error('duplicate key value violates unique constraint "customer_pkey"');
    const error = Object.assign(
      new Error('Failed query: insert into customer values ($1)\nparams: Jane Doe', { cause }),
      { query: 'insert into customer values ($1)', params: ['Jane Doe'] },
    );
    expect(errorText(error)).toBe(cause.message);
    expect(errorStack(error)).toContain(cause.message);
    expect(errorStack(error)).not.toContain('Jane Doe');
  });

  it('leaves out the values of a call, which Prisma puts into the message of a validation error', () => {
    const problem = 'Argument `paid`: Invalid value provided. Expected Int, provided String.';
    const error = new Error(
      `Invalid \`create()\` invocation:\n\n{ name: "Jane Doe" }\n\n${problem}`,
    );
    error.name = 'PrismaClientValidationError';
    expect(errorText(error)).toBe(problem);
    expect(errorStack(error)).toBe(problem);
  });
});
