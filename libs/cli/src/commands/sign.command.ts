import { signDelivery } from '@tillkit/payments';
import type { Command } from 'commander';
import type { CommonOptions, Does, Invocation } from '../command.options.js';
import { readInput } from '../input.reader.js';
import { repeatable } from '../option-readers.js';
import { requireApiKeys } from '../signatures/api-keys.js';

interface SignOptions extends CommonOptions {
  key?: readonly string[];
}

export function define(command: Command, does: Does): void {
  does.reads(
    command
      .argument('[body]')
      .option('--key <key>', 'an API key (default: the first of PAYMENTS_API_KEYS)', repeatable),
    runSign,
  );
}

async function runSign(
  { context, environment, output }: Invocation,
  { key }: SignOptions,
  path?: string,
): Promise<void> {
  const [first] = requireApiKeys(key, environment);
  const body = await readInput(context, path);
  const signature = signDelivery(body, first!.key);
  output.exact({ header: 'X-KopoKopo-Signature', signature, key: first!.name }, () => signature);
}
