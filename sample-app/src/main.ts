import { PaymentsConfigurationError } from '@tillkit/payments';
import { openShop } from './shop.application.js';
import { ShopStartError } from './shop.environment.js';
import { greeting } from './shop.greeting.js';
import { shopDirectory } from './storage/shop.directory.js';

try {
  const shop = await openShop({
    environment: process.env,
    directory: shopDirectory(process.env),
  });
  // Exits by itself: npm takes a process that a signal ended for one that failed.
  shop.app.enableShutdownHooks(['SIGINT', 'SIGTERM'], { useProcessExit: true });
  process.once('SIGINT', () => {
    process.stdout.write('\n  Closing the shop...\n');
    // Who presses Ctrl-C again wants out at any price.
    process.once('SIGINT', () => process.exit(130));
  });
  process.stdout.write(`${greeting(shop)}\n`);
} catch (error) {
  const isSetting = error instanceof PaymentsConfigurationError || error instanceof ShopStartError;
  process.stderr.write(`${isSetting ? error.message : inFull(error)}\n`);
  // What was begun before it failed (a database, a platform) must not keep a shop running that is not open.
  process.exit(1);
}

function inFull(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
