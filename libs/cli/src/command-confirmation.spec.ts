import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { answerTo } from './command-confirmation.js';

describe('A question at the terminal', () => {
  const asked = async (write: (input: PassThrough) => void): Promise<[string, string]> => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const answer = answerTo('Type yes to go on: ', input, output);
    write(input);
    return [await answer, String(output.read())];
  };

  it('is shown, and has the line that is typed as its answer', async () => {
    expect(await asked((input) => input.write('yes\nno\n'))).toEqual([
      'yes',
      expect.stringContaining('Type yes to go on: '),
    ]);
  });

  it('has no answer when the input ends', async () => {
    expect((await asked((input) => input.end()))[0]).toBe('');
  });
});
