import {
  PaymentsConfigurationError,
  PaymentsError,
  PaymentsValidationError,
} from '@tillkit/payments';
import { maskPhones } from '@tillkit/payments/internal/routes';
import { PostgresConfigurationError } from '@tillkit/postgres';
import { CommanderError } from 'commander';
import { EXIT, type CommandContext } from './command-context.js';
import { CommandError, UsageError } from './command.errors.js';
import { databaseProblem } from './database-problem.js';
import { plainJson, plainLines } from './output/plain-text.js';

/**
 * Prints why a command failed. An error may repeat an argument or a stored text, so phone numbers are masked here, whoever made the error.
 * @returns the exit code
 */
export function complain(
  error: unknown,
  { help, isJson }: { help: string; isJson: boolean },
  { writeError }: CommandContext,
): number {
  const message = maskPhones(messageOf(error, help));
  writeError(
    isJson
      ? `${plainJson({ error: { code: codeOf(error), message } })}\n`
      : `${plainLines(message)}\n`,
  );
  return isWrongCommand(error) ? EXIT.usage : EXIT.found;
}

function messageOf(error: unknown, help: string): string {
  // A command that only has subcommands was called without one.
  if (error instanceof CommanderError && error.code === 'commander.help')
    return `No command given.\n\n${help.trimEnd()}`;
  const problem = databaseProblem(error);
  if (problem) return `${problem.message} ${problem.cure}`;
  if (isExpected(error)) return withoutValue(error).replace(/^error: /, '');
  // This is a fault of our package, and its stack says where. We do not print its other fields, because they may contain requests and
  // secrets.
  return (error instanceof Error && error.stack) || String(error);
}

/**
 * Removes text that stands in a wrong place and may be a secret: the value of a misspelt option, or a URL with a password where a command
 * belongs.
 */
function withoutValue({ message }: Error): string {
  return message
    .replace(/^(error: unknown option '[^=]*)=.*'/s, "$1'")
    .replace(/^error: unknown command '(?![\w-]*')[^\n]*'/s, 'error: unknown command');
}

function codeOf(error: unknown): string {
  if (error instanceof PaymentsError) return error.code;
  return isWrongCommand(error) ? 'USAGE' : 'FAILED';
}

/** These errors need no stack, because their message explains them. */
function isExpected(error: unknown): error is Error {
  return isWrongCommand(error) || error instanceof PaymentsError || error instanceof CommandError;
}

function isWrongCommand(error: unknown): boolean {
  return (
    error instanceof UsageError ||
    error instanceof CommanderError ||
    error instanceof PaymentsConfigurationError ||
    error instanceof PaymentsValidationError ||
    error instanceof PostgresConfigurationError ||
    databaseProblem(error)?.isSetting === true
  );
}
