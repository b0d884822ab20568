import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { CommandError, UsageError } from './command.errors.js';
import type { ConfirmedOptions, Invocation, Target, Work } from './command.options.js';

/** Returns the work of a command that changes something. A person agrees to the change first, or `--yes` does. */
export function confirmed<Options extends ConfirmedOptions>(
  target: Target<Options>,
  work: Work<Options>,
): Work<Options> {
  return async (invocation, options, ...args) => {
    const what = await target(invocation, options, ...args);
    if (what !== null) await requireConsent(what, invocation, options);
    return work(invocation, options, ...args);
  };
}

/** @throws UsageError when nobody can be asked, and CommandError when the answer is not yes */
async function requireConsent(
  what: string,
  { context: { ask }, output }: Invocation,
  { yes }: ConfirmedOptions,
): Promise<void> {
  const named = output.text(what);
  if (yes) {
    // With --json, standard error has one line of JSON and nothing else.
    if (!output.isJson) output.note(`This changes ${named}.`);
    return;
  }
  if (!ask)
    throw new UsageError(
      `this changes ${named}, and without a terminal nobody can be asked: add --yes if that is what you want.`,
    );
  const answer = await ask(`This changes ${named}.\nType yes to go on: `);
  if (answer.trim().toLowerCase() !== 'yes')
    throw new CommandError('Nothing was changed, because the answer was not yes.');
}

/** Asks a person at a terminal. An end of the input, such as Ctrl-C, is no answer. */
export async function answerTo(
  question: string,
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
): Promise<string> {
  const lines = createInterface({ input, output });
  const ended = once(lines, 'close').then(() => '');
  try {
    return await Promise.race([lines.question(question), ended]);
  } catch {
    // Newer versions of Node.js reject the question when Ctrl-C ends it.
    return '';
  } finally {
    lines.close();
  }
}
