import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { SCENARIOS, isScenarioName } from './scenarios/scenarios.table.js';
import type { SimulatorOptions } from './simulator.options.js';

/** A command line that makes no sense; the message says what to write instead. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}

/** What the command line asks for. */
export type CliRequest =
  { command: 'help' } | { command: 'version' } | { command: 'start'; options: SimulatorOptions };

export const USAGE = `Usage: npx @tillkit/simulator [options]

  --port <number>            port to listen on; 0 takes a free one (4010)
  --host <address>           address to listen on (127.0.0.1)
  --public-url <origin>      what locations and links are told with, behind a proxy (the URL itself)
  --client-id <text>         application key (simulator-client-id)
  --client-secret <text>     application secret (simulator-client-secret)
  --api-key <text>           key that signs deliveries (simulator-api-key)
  --till <number>            a till or online payment account; may be repeated (514459, 000123, K000123)
  --scenario <name>          what numbers with unlisted last digits play (succeeds)
  --seed <number>            makes the draws of faults repeatable (random)
  --single-token             a new token revokes the one before
  --plain-host <host>        a host besides loopback that callbacks may reach over http; may be repeated
  --receiver-ca <file>       certificates to trust when delivering to https callbacks
  --tls-key <file>           serve HTTPS with this key ...
  --tls-cert <file>          ... and this certificate, and redirect plain HTTP
  --redirect-port <number>   port of the plain-HTTP redirect; 0 takes a free one (0)
  --help, --version`;

/** Credentials that stay the same from run to run, so that an application can keep them in its settings. */
const STEADY = {
  clientId: 'simulator-client-id',
  clientSecret: 'simulator-client-secret',
  apiKey: 'simulator-api-key',
};

/** @throws UsageError */
export function readArguments(args: readonly string[]): CliRequest {
  const values = parse(args);
  if (values.help) return { command: 'help' };
  if (values.version) return { command: 'version' };
  const scenario = values.scenario ?? 'succeeds';
  if (!isScenarioName(scenario)) {
    throw new UsageError(`--scenario must be one of ${Object.keys(SCENARIOS).join(', ')}.`);
  }
  const options: SimulatorOptions = {
    port: wholeNumber('--port', values.port ?? '4010', 65_535),
    host: values.host ?? '127.0.0.1',
    clientId: values['client-id'] ?? STEADY.clientId,
    clientSecret: values['client-secret'] ?? STEADY.clientSecret,
    apiKey: values['api-key'] ?? STEADY.apiKey,
    defaultScenario: scenario,
    singleToken: values['single-token'] ?? false,
    allowPlainCallbackHosts: values['plain-host'] ?? [],
  };
  if (values['public-url'] !== undefined) options.publicUrl = values['public-url'];
  const receiverCa = values['receiver-ca'];
  if (receiverCa !== undefined) options.receiverCa = readFile('--receiver-ca', receiverCa);
  if (values.till) options.tillNumbers = values.till;
  if (values.seed !== undefined) options.seed = wholeNumber('--seed', values.seed, 2 ** 32 - 1);
  const tls = readTls(values['tls-key'], values['tls-cert'], values['redirect-port']);
  if (tls) options.tls = tls;
  return { command: 'start', options };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        port: { type: 'string' },
        host: { type: 'string' },
        'public-url': { type: 'string' },
        'receiver-ca': { type: 'string' },
        'client-id': { type: 'string' },
        'client-secret': { type: 'string' },
        'api-key': { type: 'string' },
        till: { type: 'string', multiple: true },
        scenario: { type: 'string' },
        seed: { type: 'string' },
        'single-token': { type: 'boolean' },
        'plain-host': { type: 'string', multiple: true },
        'tls-key': { type: 'string' },
        'tls-cert': { type: 'string' },
        'redirect-port': { type: 'string' },
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean', short: 'v' },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function wholeNumber(flag: string, text: string, highest: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value > highest) {
    throw new UsageError(`${flag} must be a whole number from 0 to ${highest}, not "${text}".`);
  }
  return value;
}

function readTls(
  key: string | undefined,
  cert: string | undefined,
  redirectPort: string | undefined,
) {
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
    redirectPort: wholeNumber('--redirect-port', redirectPort ?? '0', 65_535),
  };
}

function readFile(flag: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new UsageError(
      `${flag}: cannot read ${path} (${error instanceof Error ? error.message : String(error)}).`,
    );
  }
}
