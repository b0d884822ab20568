import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { FRAME_STYLE } from '@tillkit/pages';
import type { PaymentsOptions } from '@tillkit/payments';
import type { Request, Response } from 'express';
import { ShopDatabase } from './database/shop-database.js';
import { findPort } from './port-finder.js';
import {
  practiceOptions,
  startPracticePlatform,
  type PracticePlatform,
} from './practice/practice-platform.js';
import { ShopModule } from './shop.module.js';
import { readPort, ShopSettings, ShopStartError, wantsRealPlatform } from './shop.settings.js';
import { securityHeaders } from './web/security-headers.js';

export interface ShopOptions {
  readonly environment: NodeJS.ProcessEnv;
  /** Directory of the shop's PostgreSQL and of the file with the address of the practice platform. */
  readonly dataDir: string;
  /** @default 'tillkit' */
  readonly database?: string;
  /** A running simulated platform. @default a new one in a separate process */
  readonly practice?: PracticePlatform;
  /** Options of the payments module that do not come from `PAYMENTS_*`. */
  readonly payments?: PaymentsOptions;
  /** `false` switches the log off. */
  readonly logger?: false;
  /** Aborts the start: `openShop` stops what it has started, and throws. */
  readonly signal?: AbortSignal;
}

export interface Shop {
  readonly app: NestExpressApplication;
  readonly url: string;
  /** The wanted port if it cannot be used; else null. */
  readonly refusedPort: number | null;
  readonly practice: PracticePlatform | null;
}

/**
 * Opens the shop with the platform of `PAYMENTS_*`, or with a simulated one if none of these variables is set.
 * @throws ShopStartError, PaymentsConfigurationError for missing or wrong settings
 */
export async function openShop(options: ShopOptions): Promise<Shop> {
  const { environment, dataDir, database: name, payments, signal } = options;
  const isReal = wantsRealPlatform(environment);
  const wanted = readPort(environment);
  const port = await findPort(wanted);
  const refusedPort = wanted !== 0 && wanted !== port ? wanted : null;
  if (isReal && refusedPort) {
    throw new ShopStartError(
      `Port ${wanted} is in use or not allowed. Stop the process that uses it, or set PORT to another port and PAYMENTS_PUBLIC_URL to match.`,
    );
  }
  const url = `http://127.0.0.1:${port}`;
  const practice = isReal
    ? null
    : (options.practice ?? (await startPracticePlatform(dataDir, signal)));
  let database: ShopDatabase | null = null;
  try {
    signal?.throwIfAborted();
    database = await ShopDatabase.start({ dataDir: join(dataDir, 'postgres'), database: name });
    signal?.throwIfAborted();
    const settings = new ShopSettings(practice, database.url, {
      ...(practice && practiceOptions(practice, url)),
      ...payments,
    });
    const app = await createApplication(settings, database, options);
    if (isReal && !environment['PAYMENTS_TILL_NUMBER']) {
      throw new ShopStartError(
        'PAYMENTS_TILL_NUMBER is not set. Set it to the till that customers pay to.',
      );
    }
    signal?.throwIfAborted();
    await app.listen(port, '127.0.0.1');
    return { app, url, practice, refusedPort };
  } catch (error) {
    await practice?.stop();
    await database?.stop();
    throw error;
  }
}

async function createApplication(
  settings: ShopSettings,
  database: ShopDatabase,
  { logger }: ShopOptions,
): Promise<NestExpressApplication> {
  const app = await NestFactory.create<NestExpressApplication>(
    ShopModule.forRoot(settings, database),
    {
      logger: logger ?? ['error', 'warn'],
      // The caller prints configuration errors.
      abortOnError: false,
      // Browsers keep connections and event streams open. Without this, close() waits for them.
      forceCloseConnections: true,
      bufferLogs: true,
      autoFlushLogs: false,
    },
  );
  app.flushLogs();
  app.use(securityHeaders);
  app.useStaticAssets(join(import.meta.dirname, 'public'), {
    setHeaders: (response: ServerResponse) => response.setHeader('Cache-Control', 'no-cache'),
  });
  app.use('/frame.css', (_request: Request, response: Response) => {
    response.type('css').set('Cache-Control', 'no-cache').send(FRAME_STYLE);
  });
  return app;
}
