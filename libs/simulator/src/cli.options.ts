import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Command, CommanderError } from 'commander';
import { UsageError } from './cli.errors.js';
import { collectMerchant, CREDENTIALS, merchantsOf, type MerchantValues } from './cli-merchants.js';
import { SCENARIOS, isScenarioName, type ScenarioName } from './scenarios/scenarios.constants.js';
import type { SimulatorOptions } from './simulator.options.js';

/** The command prints to these streams. */
export interface CliOutput {
  out(text: string): void;
  error(text: string): void;
}

interface CliValues extends MerchantValues {
  port: number;
  host: string;
  publicUrl?: string;
  scenario: ScenarioName;
  seed?: number;
  singleToken?: boolean;
  bothApiVersions?: boolean;
  plainHost?: string[];
  allowHost?: string[];
  receiverCa?: string;
  tlsKey?: string;
  tlsCert?: string;
  redirectPort?: number;
  data?: string;
}

/**
 * Reads the command line. Prints the help or the version when it asks for them.
 * @returns the options of the simulator; null after printing the help or the version
 * @throws UsageError
 */
export function readOptions(args: readonly string[], output: CliOutput): SimulatorOptions | null {
  const command = createCommand(output);
  try {
    command.parse(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return null;
    throw new UsageError(capitalised(error.message.replace(/^error: /, '')));
  }
  const [unexpected] = command.args;
  if (unexpected !== undefined)
    throw new UsageError(`Unexpected argument '${unexpected}'. The command has options only.`);
  return optionsOf(command.opts<CliValues>());
}

/** Returns the text of `--help`. */
export function usage(): string {
  return createCommand().helpInformation().trimEnd();
}

function createCommand(output?: CliOutput): Command {
  return new Command('npx @tillkit/simulator')
    .usage('[options]')
    .option(
      '--port <number>',
      'port to listen on; 0 selects a free one',
      wholeNumber('--port', 65_535),
      4010,
    )
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option(
      '--public-url <origin>',
      'origin of locations and links, behind a proxy (default: the URL itself)',
    )
    .option('--client-id <text>', `application key (default: "${CREDENTIALS.clientId}")`)
    .option('--client-secret <text>', `application secret (default: "${CREDENTIALS.clientSecret}")`)
    .option('--api-key <text>', `key that signs deliveries (default: "${CREDENTIALS.apiKey}")`)
    .option(
      '--till <number>',
      'a till or online payment account; repeatable (default: 514459, 000123, K000123)',
      collect,
    )
    .option(
      '--merchant <settings>',
      'a merchant, as in name=shop-7,till=700007; till may repeat, and client-id, client-secret and api-key are optional; ' +
        'repeatable. The merchant of --client-id, --client-secret, --api-key and --till then exists only if one of them is given',
      collectMerchant,
    )
    .option(
      '--opening-balance <amount>',
      'what each till has at the start, in whole KES',
      wholeNumber('--opening-balance', 999_999_999),
      100_000,
    )
    .option(
      '--scenario <name>',
      'scenario of numbers whose last digits are not listed',
      scenario,
      'succeeds',
    )
    .option(
      '--seed <number>',
      'makes random faults repeatable (default: random)',
      wholeNumber('--seed', 2 ** 32 - 1),
    )
    .option(
      '--data <file>',
      'keep payments, payouts, subscriptions and balances in this file, and go on with them at the next start',
    )
    .option('--single-token', 'a new token revokes the previous one')
    .option(
      '--both-api-versions',
      'have webhook subscriptions, polling and incoming payments in v1 and v2',
    )
    .option(
      '--plain-host <host>',
      'a host besides loopback that callbacks may reach over http; repeatable',
      collect,
    )
    .option(
      '--allow-host <name>',
      'a name besides loopback by which the pages and the control API can be reached; repeatable',
      collect,
    )
    .option('--receiver-ca <file>', 'certificates to trust when delivering to https callbacks')
    .option('--tls-key <file>', 'serve HTTPS with this key ...')
    .option('--tls-cert <file>', '... and this certificate, and redirect plain HTTP')
    .option(
      '--redirect-port <number>',
      'port of the plain-HTTP redirect; 0 selects a free one (default: 0)',
      wholeNumber('--redirect-port', 65_535),
    )
    .version(version(), '-v, --version')
    .allowExcessArguments()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => output?.out(text.trimEnd()),
      // The caller prints the errors that this command throws.
      writeErr: () => undefined,
    });
}

function optionsOf(values: CliValues): SimulatorOptions {
  const { seed, publicUrl, receiverCa, data: dataFile } = values;
  const tls = tlsOf(values);
  return {
    port: values.port,
    host: values.host,
    ...merchantsOf(values),
    defaultScenario: values.scenario,
    singleToken: values.singleToken ?? false,
    apiVersions: values.bothApiVersions ? 'both' : 'contract',
    allowPlainCallbackHosts: values.plainHost ?? [],
    allowedHosts: values.allowHost ?? [],
    ...(publicUrl !== undefined && { publicUrl }),
    ...(receiverCa !== undefined && { receiverCa: readFile('--receiver-ca', receiverCa) }),
    ...(seed !== undefined && { seed }),
    ...(dataFile !== undefined && { dataFile }),
    ...(tls && { tls }),
  };
}

function tlsOf({ tlsKey: key, tlsCert: cert, redirectPort }: CliValues): SimulatorOptions['tls'] {
  if (key === undefined && cert === undefined) {
    if (redirectPort !== undefined)
      throw new UsageError('--redirect-port needs --tls-key and --tls-cert.');
    return undefined;
  }
  if (key === undefined || cert === undefined)
    throw new UsageError('--tls-key and --tls-cert belong together.');
  return {
    key: readFile('--tls-key', key),
    cert: readFile('--tls-cert', cert),
    redirectPort: redirectPort ?? 0,
  };
}

function wholeNumber(option: string, highest: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value > highest) {
      throw new UsageError(`${option} must be a whole number from 0 to ${highest}, not "${text}".`);
    }
    return value;
  };
}

function scenario(name: string): ScenarioName {
  if (isScenarioName(name)) return name;
  throw new UsageError(`--scenario must be one of ${Object.keys(SCENARIOS).join(', ')}.`);
}

function readFile(option: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new UsageError(
      `${option}: cannot read ${path} (${error instanceof Error ? error.message : String(error)}).`,
    );
  }
}

function collect(value: string, previous: readonly string[] = []): string[] {
  return [...previous, value];
}

function version(): string {
  const manifest = createRequire(import.meta.url)('../package.json') as { version: string };
  return manifest.version;
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
