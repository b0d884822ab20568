import { readNamedFile } from '../input.reader.js';
import type { ApiKey } from '../signatures/api-keys.js';
import { readCapturedDelivery } from '../signatures/captured-delivery.js';
import { matchSignature } from '../signatures/signature-match.js';
import { failed, ok, skipped, type Check } from './check.js';

/** Says which of our keys has signed a captured delivery. */
export function deliveryCheck(
  path: string | undefined,
  keys: readonly ApiKey[],
  environment: NodeJS.ProcessEnv,
): Check {
  return {
    name: 'captured delivery',
    run: async () => {
      if (path === undefined) return skipped('no --delivery is given');
      const captured = readCapturedDelivery(await readNamedFile(path));
      if (!captured)
        return failed(
          `${path} is no captured delivery`,
          'Write the headers of the delivery into the file, then an empty line, then its exact body.',
        );
      if (keys.length === 0)
        return failed('there is no API key to compare with', 'Set PAYMENTS_API_KEYS.');
      const match = matchSignature(captured.body, captured.signature, keys, environment);
      const name = match.key ?? match.exceptBreak;
      return name
        ? ok(`${name} made its signature`)
        : failed(
            `no API key made its signature: ${match.why}`,
            'Set PAYMENTS_API_KEYS to the API key that the portal shows for this application.',
          );
    },
  };
}
