import { Writable } from 'node:stream';
import type { WriteStream } from 'node:tty';
import { describe, expect, it } from '@jest/globals';
import type { CommandContext } from '../command-context.js';
import { Output } from './output.js';

function outputOf(
  options: { json?: true; showPhones?: true } = {},
  more: Partial<CommandContext> = {},
) {
  let written = '';
  const context: CommandContext = {
    write: (text) => void (written += text),
    writeError: () => undefined,
    readInput: () => Promise.resolve(Buffer.alloc(0)),
    ask: null,
    environment: {},
    hasColors: false,
    progress: null,
    interrupted: () => new AbortController().signal,
    logErrorsOnly: () => undefined,
    ...more,
  };
  return { output: new Output(context, options), written: () => written };
}

/** Returns a terminal that keeps the text that it is sent. */
function terminal(): { stream: WriteStream; shown: () => string } {
  let shown = '';
  const stream = new Writable({
    write: (chunk: Buffer, _, done) => {
      shown += chunk.toString();
      done();
    },
  });
  return {
    stream: Object.assign(stream, { isTTY: true, columns: 80 }) as never,
    shown: () => shown,
  };
}

const VALUE = {
  id: '254700000001',
  reference: '0700000001',
  note: 'call 0700 000 001',
  list: [{ phoneNumber: '+254700000001', at: new Date(0) }],
  none: null,
};

describe('The output of a command', () => {
  it('masks phone numbers in JSON, and neither ids nor references', () => {
    const { output, written } = outputOf({ json: true });
    output.result(VALUE, () => 'text');
    expect(JSON.parse(written())).toEqual({
      ...VALUE,
      note: expect.not.stringContaining('700'),
      list: [{ phoneNumber: expect.stringMatching(/^\+•+01$/), at: '1970-01-01T00:00:00.000Z' }],
    });
  });

  it('shows whole numbers when a person asks for them', () => {
    const { output, written } = outputOf({ json: true, showPhones: true });
    output.entry(VALUE, () => 'text');
    expect(JSON.parse(written())).toEqual(JSON.parse(JSON.stringify(VALUE)));
    expect(written().split('\n')).toHaveLength(2);
    expect(outputOf({ showPhones: true }).output.text('+254700000001')).toBe('+254700000001');
  });

  it('has colours on a terminal only, and none in JSON', () => {
    expect(outputOf({}, { hasColors: true }).output.colors.red('x')).toBe('\u001b[31mx\u001b[39m');
    expect(outputOf({}).output.colors.red('x')).toBe('x');
    expect(outputOf({ json: true }, { hasColors: true }).output.colors.red('x')).toBe('x');
  });

  it('has tables and fields without borders and without trailing space', () => {
    const { output } = outputOf();
    expect(
      output.table({ one: 'first', two: ({ second }) => second }, [
        { first: 'a', second: 'b' },
        { first: 'long', second: '' },
      ]),
    ).toBe('one   two\na     b\nlong');
    expect(
      output.fields(
        { id: 'id', empty: 'empty', state: 'state' },
        { id: '1', empty: '', state: 'ok' },
      ),
    ).toBe('id     1\nstate  ok');
  });

  it('shows the progress of long work on a terminal, clears it, and shows none elsewhere', async () => {
    const { stream, shown } = terminal();
    const { output } = outputOf({}, { progress: stream });
    const done: number[] = [];
    await output.each([1, 2, 3], 'working', (each) => Promise.resolve(void done.push(each)));
    expect(done).toEqual([1, 2, 3]);
    expect(shown()).toContain('working');
    expect(shown()).toMatch(/of 3/);
    const { stream: other, shown: alone } = terminal();
    await outputOf({}, { progress: other }).output.each([1], 'working', () => Promise.resolve());
    expect(alone()).toBe('');
    await expect(
      output.each([1, 2], 'working', () => Promise.reject(new Error('broken'))),
    ).rejects.toThrow('broken');
  });
});
