import { PaymentsConfigurationError } from '@tillkit/payments';
import { dataDirectory } from './practice/data-directory.js';
import { openShop, type Shop } from './shop-application.js';
import { greeting } from './shop-greeting.js';
import { ShopStartError } from './shop.settings.js';

// Ctrl-C must work while the shop opens too. Otherwise it would end this process and leave the simulator running.
const opening = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => opening.abort());
process.once('SIGINT', () => {
  process.stdout.write('\n  Closing the shop...\n');
  // A second Ctrl-C exits at once.
  process.once('SIGINT', () => process.exit(130));
});

export let shop: Shop;

try {
  shop = await openShop({
    environment: process.env,
    dataDir: dataDirectory(process.env),
    signal: opening.signal,
  });
  // Exit with code 0: npm reports a process that ended by a signal as failed.
  shop.app.enableShutdownHooks(['SIGINT', 'SIGTERM'], { useProcessExit: true });
  if (opening.signal.aborted) {
    await shop.app.close();
    process.exit(0);
  }
  process.stdout.write(`${greeting(shop)}\n`);
} catch (error) {
  if (opening.signal.aborted) process.exit(0);
  const isSetting = error instanceof PaymentsConfigurationError || error instanceof ShopStartError;
  process.stderr.write(`${isSetting ? error.message : inFull(error)}\n`);
  process.exit(1);
}

function inFull(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
