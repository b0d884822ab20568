import type { Command } from 'commander';
import { EXIT } from '../command-context.js';
import { UsageError } from '../command.errors.js';
import type { CommonOptions, Does, Invocation } from '../command.options.js';
import { readInput } from '../input.reader.js';
import { repeatable } from '../option-readers.js';
import { requireApiKeys } from '../signatures/api-keys.js';
import { pastedSignature, readCapturedDelivery } from '../signatures/captured-delivery.js';
import { matchSignature } from '../signatures/signature-match.js';

interface VerifyOptions extends CommonOptions {
  key?: readonly string[];
  signature?: string;
}

export function define(command: Command, does: Does): void {
  does.reads(
    command
      .argument('[body]')
      .option(
        '--signature <signature>',
        'the value of X-KopoKopo-Signature (default: that of the headers before the body)',
      )
      .option(
        '--key <key>',
        'an API key; repeat it for several (default: PAYMENTS_API_KEYS)',
        repeatable,
      ),
    runVerify,
  );
}

async function runVerify(
  { context, environment, output }: Invocation,
  { key, signature }: VerifyOptions,
  path?: string,
): Promise<number> {
  const keys = requireApiKeys(key, environment);
  const bytes = await readInput(context, path);
  const captured = signature === undefined ? readCapturedDelivery(bytes) : null;
  if (signature === undefined && !captured) {
    throw new UsageError(
      'there is no signature: give --signature <signature>, or a body with the headers of the delivery and an empty line before it.',
    );
  }
  const match = matchSignature(
    captured?.body ?? bytes,
    captured ? captured.signature : pastedSignature(signature ?? ''),
    keys,
    environment,
  );
  output.result({ valid: match.key !== null, key: match.key, why: match.why }, () =>
    match.key
      ? output.colors.green(`valid: ${match.key} made the signature`)
      : output.colors.red(`not valid: ${match.why}`),
  );
  return match.key ? EXIT.ok : EXIT.found;
}
