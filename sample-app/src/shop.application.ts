import type { INestApplication, LogLevel } from '@nestjs/common';
import { type AbstractHttpAdapter, NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { ReconciliationOptions } from '@tillkit/payments';
import type { SimulatorOptions } from '@tillkit/simulator';
import { findPort } from './port.finder.js';
import { InProcessPlatform } from './practice/in-process.platform.js';
import { OwnProcessPlatform } from './practice/own-process.platform.js';
import type { PracticePlatform } from './practice/practice.platform.js';
import { readEnvironment, ShopStartError, type ShopEnvironment } from './shop.environment.js';
import { ShopModule } from './shop.module.js';
import { ShopSetup } from './shop.setup.js';
import { ShopDatabase } from './storage/shop.database.js';

export interface ShopOptions {
  readonly environment: NodeJS.ProcessEnv;
  /** @default Express */
  readonly adapter?: AbstractHttpAdapter;
  /** @default errors and warnings, and what the shop itself says */
  readonly logger?: LogLevel[] | false;
  /**
   * Where the shop keeps its things: PostgreSQL from npm, unless PAYMENTS_DATABASE_URL names another, and a practice
   * platform that outlives it. Left out, everything is in this process, and a restart forgets it.
   */
  readonly directory?: string;
  /** The practice platform's, for tests: one in this process. */
  readonly simulator?: SimulatorOptions;
  /** How soon missing news is asked for, for tests: no person waits there. */
  readonly reconciliation?: ReconciliationOptions;
}

/** An open shop. */
export interface Shop {
  readonly app: INestApplication;
  readonly url: string;
  /** The port that was asked for and is taken; null when the shop has it. */
  readonly takenPort: number | null;
  readonly practice: PracticePlatform | null;
}

/**
 * Opens the shop, with a practice platform unless the environment names a real one.
 * @throws ShopStartError, PaymentsConfigurationError when settings are wrong
 */
export async function openShop(options: ShopOptions): Promise<Shop> {
  const environment = readEnvironment(options.environment);
  const { host } = environment;
  const port = await portOf(environment);
  const url = `http://${urlHost(host)}:${port}`;
  const practice = environment.isReal ? null : await practicePlatform(options);
  let database: ShopDatabase | null = null;
  try {
    database = await openDatabase(options);
    const setup = new ShopSetup(practice, database, {
      // The goods are priced in shillings, so it is Kenya's way of writing phone numbers that is read.
      defaultCountry: 'KE',
      ...practice?.settings(url),
      ...(options.reconciliation && { reconciliation: options.reconciliation }),
    });
    const app = await create(setup, options);
    if (!practice && !options.environment['PAYMENTS_TILL_NUMBER']) {
      throw new ShopStartError(
        'PAYMENTS_TILL_NUMBER is not set: set it to the till that customers pay to.',
      );
    }
    await app.listen(port, host);
    const takenPort = environment.port !== 0 && environment.port !== port ? environment.port : null;
    return { app, url, practice, takenPort };
  } catch (error) {
    await practice?.stop();
    await database?.close();
    throw error;
  }
}

function practicePlatform({ directory, simulator }: ShopOptions): Promise<PracticePlatform> {
  return directory === undefined
    ? InProcessPlatform.start(simulator)
    : OwnProcessPlatform.start(directory);
}

async function openDatabase({ directory, environment }: ShopOptions): Promise<ShopDatabase | null> {
  return directory === undefined
    ? null
    : ShopDatabase.open(directory, environment['PAYMENTS_DATABASE_URL']);
}

async function create(
  setup: ShopSetup,
  { adapter, logger }: ShopOptions,
): Promise<INestApplication> {
  // Nest would print what is wrong with the settings with a stack, and abort: whoever calls prints it plainly.
  const app = await NestFactory.create(ShopModule.forRoot(setup), adapter ?? new ExpressAdapter(), {
    logger: logger ?? ['error', 'warn'],
    abortOnError: false,
    bufferLogs: true,
    autoFlushLogs: false,
  });
  app.flushLogs();
  return app;
}

/** Where a real platform is told our address, it cannot be another one than was said. */
async function portOf({ host, port, isReal }: ShopEnvironment): Promise<number> {
  const found = await findPort(host, port);
  if (isReal && port !== 0 && found !== port) {
    throw new ShopStartError(
      `Port ${port} is taken or may not be used, and PAYMENTS_PUBLIC_URL leads to it: free it, or set PORT to another one.`,
    );
  }
  return found;
}

/** Where this machine itself reaches a server that listens on a host. */
function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
