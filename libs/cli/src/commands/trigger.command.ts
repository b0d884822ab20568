import { signDelivery, WEBHOOK_TOPICS, type WebhookTopic } from '@tillkit/payments';
import {
  CALLBACK_RESOURCES,
  isLoopback,
  secureUrlProblem,
  type CallbackResource,
} from '@tillkit/payments/internal/tools';
import { Argument, type Command } from 'commander';
import { pathOf } from '../account-context.js';
import { EXIT } from '../command-context.js';
import { CommandError, UsageError } from '../command.errors.js';
import type { CommonOptions, Does, Invocation } from '../command.options.js';
import { causeOf, exchange } from '../http-answer.js';
import { readNamedFile } from '../input.reader.js';
import { repeatable, wholeNumber } from '../option-readers.js';
import { requireApiKeys } from '../signatures/api-keys.js';
import { override } from '../trigger/body-override.js';
import { exampleCallback } from '../trigger/callback-examples.js';
import { exampleWebhook } from '@tillkit/simulator/internal/examples';

interface TriggerOptions extends CommonOptions {
  key?: readonly string[];
  set?: readonly string[];
  body?: string;
  print?: true;
  remote?: true;
  unsigned?: true;
  prefix?: string;
  timeout: number;
}

export function define(command: Command, does: Does): void {
  const what = new Argument('<what>', 'a topic of webhooks, or a kind of callbacks').choices([
    ...WEBHOOK_TOPICS,
    ...CALLBACK_RESOURCES,
  ]);
  does.changes(
    command
      .addArgument(what)
      .argument(
        '[url]',
        'where to: on this machine, or with --remote elsewhere by https (default for webhooks: PAYMENTS_PUBLIC_URL and the path of the routes)',
      )
      .option('--set <field=value>', 'set a field; repeat it for several: amount=250.0', repeatable)
      .option('--body <file>', 'a body of your own instead of the example')
      .option(
        '--key <key>',
        'the API key to sign with (default: the first of PAYMENTS_API_KEYS)',
        repeatable,
      )
      .option('--unsigned', 'send no signature, for URLs with a MAC')
      .option('--print', 'print the body and its signature, and send nothing')
      .option('--remote', 'post it to another machine: whoever sees it there can post it again')
      .option('--prefix <path>', 'the global prefix of the application, such as api')
      .addOption(
        wholeNumber('--timeout <seconds>', 'seconds to wait for the answer', {
          least: 1,
          most: 300,
          default: 10,
        }),
      ),
    targetOf,
    runTrigger,
  );
}

/**
 * Names the application that gets the delivery; null when we only print it, or when the application is on this machine. The signature is
 * valid and never expires, so the application takes the delivery for money that came.
 */
function targetOf(
  { environment }: Invocation,
  options: TriggerOptions,
  what?: string,
  given?: string,
): string | null {
  const url = requireUrl(what as string, given, options, environment);
  return options.print || isLoopback(new URL(url).hostname)
    ? null
    : `the application at ${url}, which gets a delivery that looks like the platform's`;
}

async function runTrigger(
  { environment, output }: Invocation,
  options: TriggerOptions,
  what?: string,
  given?: string,
): Promise<number> {
  const url = requireUrl(what as string, given, options, environment);
  const body = await bodyOf(what as string, url, options, environment);
  const signature = options.unsigned ? null : signed(body, options, environment);
  if (options.print) {
    output.exact({ url, signature, body: body.toString() }, () =>
      [...(signature ? [`X-KopoKopo-Signature: ${signature}`, ''] : []), body.toString()].join(
        '\n',
      ),
    );
    return EXIT.ok;
  }
  const answer = await exchange(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(signature && { 'x-kopokopo-signature': signature }),
    },
    body: new Uint8Array(body),
    signal: AbortSignal.timeout(options.timeout * 1000),
  }).catch((error: unknown) => {
    throw new CommandError(
      `${url} gave no answer: ${causeOf(error)}. Is the application running there?`,
    );
  });
  const isAccepted = answer.status >= 200 && answer.status < 300;
  const why = isAccepted ? null : reasonOf(answer.status);
  output.result({ url, status: answer.status, accepted: isAccepted, why }, () =>
    isAccepted
      ? output.colors.green(`${answer.status}: the delivery was accepted`)
      : output.colors.red(`${answer.status}: the delivery was refused; ${why}`),
  );
  return isAccepted ? EXIT.ok : EXIT.found;
}

function requireUrl(
  what: string,
  given: string | undefined,
  { prefix, print, remote }: TriggerOptions,
  environment: NodeJS.ProcessEnv,
): string {
  const url = given ?? (isTopic(what) ? ownWebhookUrl(prefix, environment) : undefined);
  if (url === undefined) {
    throw new UsageError(
      isTopic(what)
        ? 'there is no URL: give one after the topic, or set PAYMENTS_PUBLIC_URL.'
        : `there is no URL: give the callback URL of a request after "${what}": https://shop.example/payments/callbacks/${what}/<id>.`,
    );
  }
  const problem = secureUrlProblem(url);
  if (problem) throw new UsageError(`the URL ${problem}.`);
  if (print || remote || isLoopback(new URL(url).hostname)) return url;
  throw new UsageError(
    `${new URL(url).origin} is not on this machine, and whoever sees the delivery there can post it again: give a URL such as ` +
      `http://127.0.0.1:3000${new URL(url).pathname} after "${what}", or --remote if that is what you want.`,
  );
}

function ownWebhookUrl(
  prefix: string | undefined,
  environment: NodeJS.ProcessEnv,
): string | undefined {
  const publicUrl = environment['PAYMENTS_PUBLIC_URL']?.trim().replace(/\/+$/, '');
  return publicUrl && `${publicUrl}/${pathOf({ prefix }, environment)}/webhooks`;
}

async function bodyOf(
  what: string,
  url: string,
  { set = [], body: path }: TriggerOptions,
  environment: NodeJS.ProcessEnv,
): Promise<Buffer> {
  if (path !== undefined && set.length > 0)
    throw new UsageError('--set changes the example, so it cannot stand beside --body.');
  if (path !== undefined) return readNamedFile(path);
  const facts = { till: environment['PAYMENTS_TILL_NUMBER'] ?? '514459', now: new Date() };
  const body = isTopic(what)
    ? exampleWebhook(what, facts.till, facts.now)
    : exampleCallback(what as CallbackResource, url, facts);
  for (const text of set) override(body, text);
  return Buffer.from(JSON.stringify(body));
}

function signed(body: Buffer, { key }: TriggerOptions, environment: NodeJS.ProcessEnv): string {
  const [first] = requireApiKeys(
    key,
    environment,
    'there is no API key to sign with: set PAYMENTS_API_KEYS, give --key <key>, or send it --unsigned to a URL with a MAC.',
  );
  return signDelivery(body, first!.key);
}

function isTopic(what: string): what is WebhookTopic {
  return (WEBHOOK_TOPICS as readonly string[]).includes(what);
}

/** Explains an answer of our routes. The answers have no reason, because a reason would help an attacker. */
function reasonOf(status: number): string {
  if (status === 401) return 'the application has another API key, or the MAC in the URL is wrong';
  if (status === 404)
    return 'there is no such route, or the URL is none that the application gave to the platform';
  if (status === 413) return 'the body is larger than the application accepts';
  if (status >= 300 && status < 400) return 'something in front of the application redirects it';
  if (status === 503) return 'the application cannot store it now';
  return 'run tillkit doctor to see what answers there';
}
