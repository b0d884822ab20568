import { PaymentsConfigurationError } from '@tillkit/payments';
import { dataDirectory } from './practice/data.directory.js';
import { openShop } from './shop.application.js';
import { greeting } from './shop.greeting.js';
import { ShopStartError } from './shop.settings.js';

try {
  const shop = await openShop({
    environment: process.env,
    dataDir: dataDirectory(process.env),
  });
  // Exit with code 0: npm reports a process that ended by a signal as failed.
  shop.app.enableShutdownHooks(['SIGINT', 'SIGTERM'], { useProcessExit: true });
  process.once('SIGINT', () => {
    process.stdout.write('\n  Closing the shop...\n');
    // A second Ctrl-C exits at once.
    process.once('SIGINT', () => process.exit(130));
  });
  process.stdout.write(`${greeting(shop)}\n`);
} catch (error) {
  const isSetting = error instanceof PaymentsConfigurationError || error instanceof ShopStartError;
  process.stderr.write(`${isSetting ? error.message : inFull(error)}\n`);
  process.exit(1);
}

function inFull(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
