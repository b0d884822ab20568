import { misspeltVariables, startWarnings } from '@tillkit/payments/internal/tools';
import type { Command } from 'commander';
import { EXIT } from '../command-context.js';
import {
  onDatabase,
  withCredentials,
  type AccountOptions,
  type CommonOptions,
  type Does,
  type Invocation,
} from '../command.options.js';
import { examinedAccount, type ExaminedAccount } from '../examined-account.js';
import { certificateCheck } from '../doctor/certificate-check.js';
import {
  failed,
  ok,
  runChecks,
  warning,
  type Check,
  type CheckResult,
  type Finding,
  type Verdict,
} from '../doctor/check.js';
import { databaseChecks } from '../doctor/database-checks.js';
import { deliveryCheck } from '../doctor/delivery-check.js';
import { clockCheck, tokenCheck } from '../doctor/platform-checks.js';
import { publicUrlCheck } from '../doctor/public-url-check.js';
import { wholeNumber } from '../option-readers.js';
import type { Output } from '../output/output.js';
import { apiKeysOf } from '../signatures/api-keys.js';

interface DoctorOptions extends CommonOptions, AccountOptions {
  delivery?: string;
  timeout: number;
}

export function define(command: Command, does: Does): void {
  does.reads(
    withCredentials(
      onDatabase(command).option(
        '--account <name>',
        'the account; other than "default" it needs --source',
      ),
    )
      .option(
        '--delivery <file>',
        'a captured delivery: its headers, an empty line, its exact body; says which key matches',
      )
      .addOption(
        wholeNumber('--timeout <seconds>', 'seconds that each check may take', {
          least: 1,
          most: 60,
          default: 10,
        }),
      ),
    runDoctor,
  );
}

async function runDoctor(
  { environment, output }: Invocation,
  options: DoctorOptions,
): Promise<number> {
  const limitMs = options.timeout * 1000;
  const account = await examinedAccount(options, environment);
  const keys = account.added
    ? apiKeysOf(usableKeys(account.added.apiKeys), environment).map((each, at) => ({
        ...each,
        name: `API key ${at + 1} of account "${account.name}"`,
      }))
    : apiKeysOf(undefined, environment);
  const results = await runChecks(
    [
      settingsCheck(account, environment),
      tokenCheck(account, environment),
      clockCheck(account),
      publicUrlCheck(account),
      certificateCheck(account),
      deliveryCheck(options.delivery, keys, environment),
      ...databaseChecks(options, environment, limitMs),
    ],
    limitMs,
  );
  const isWell = results.every(({ verdict }) => verdict !== 'failed');
  output.result({ account: account.name, ok: isWell, checks: results }, () =>
    results.map((result) => lineOf(result, output)).join('\n'),
  );
  return isWell ? EXIT.ok : EXIT.found;
}

/** Returns the usable keys only. The check of the settings says what is wrong with the others. */
function usableKeys(keys: unknown): string[] {
  return Array.isArray(keys) ? keys.filter((key) => typeof key === 'string') : [];
}

function settingsCheck(
  { problems, name, settings }: ExaminedAccount,
  environment: NodeJS.ProcessEnv,
): Check {
  const misspelt = misspeltVariables(Object.keys(environment));
  const risks = settings ? startWarnings(settings, (variable) => environment[variable]) : [];
  const finding = (): Finding => {
    if (problems.length > 0)
      return failed(problems.join('\n'), 'Correct each of them, as its text says.');
    const warnings = [...misspelt, ...risks.map(({ cause, cure }) => `${cause}: ${cure}.`)];
    return warnings.length > 0
      ? warning(warnings.join('\n'), 'Correct each of them, as its text says.')
      : ok(`all settings of account "${name}" can be used`);
  };
  return { name: 'settings', run: () => Promise.resolve(finding()) };
}

const WIDTH = Math.max(
  ...(['ok', 'warning', 'failed', 'skipped'] satisfies Verdict[]).map((word) => word.length),
);
const NAME_WIDTH = 'captured delivery'.length;

function lineOf({ check, verdict, found, cure }: CheckResult, output: Output): string {
  const { green, yellow, red, dim } = output.colors;
  const paint = { ok: green, warning: yellow, failed: red, skipped: dim }[verdict];
  const indent = `\n${' '.repeat(WIDTH + NAME_WIDTH + 4)}`;
  const lines = [...found.split('\n'), ...(cure === null ? [] : [cure])];
  const text = lines.map((line) => output.text(line)).join(indent);
  return `${paint(verdict.padEnd(WIDTH))}  ${check.padEnd(NAME_WIDTH)}  ${text}`;
}
