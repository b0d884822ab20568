import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DynamicModule, INestApplication } from '@nestjs/common';
import { ConfigModule, type ConfigModuleOptions } from '@nestjs/config';
import { Test } from '@nestjs/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { PaymentsAccounts, PaymentsModule, WebhookSubscriptionsService } from '@tillkit/payments';
import { PostgresStoreModule } from '@tillkit/postgres';
import { PLATFORMS } from '../support/platforms.js';

const FILE = {
  PAYMENTS_BASE_URL: 'https://platform.example',
  PAYMENTS_CLIENT_ID: 'id',
  PAYMENTS_CLIENT_SECRET: 'secret',
  PAYMENTS_PUBLIC_URL: 'https://shop.example',
  PAYMENTS_API_KEYS: 'an-api-key-of-the-portal',
  PAYMENTS_PATH: 'mobile/money',
};

/** A schema that accepts everything: with one, ConfigModule 12 fills the environment after the modules of an application are declared. */
const SCHEMA = {
  '~standard': { version: 1, vendor: 'tillkit', validate: (value: object) => ({ value }) },
};

const SHOP = {
  clientId: 'id-of-shop',
  clientSecret: 'secret-of-shop',
  apiKeys: ['an-api-key-of-the-shop'],
  tillNumber: '514459',
};

function writeFile(folder: string, variables: Record<string, string>): void {
  const lines = Object.entries(variables).map(([name, value]) => `${name}=${value}\n`);
  writeFileSync(join(folder, '.env'), lines.join(''));
}

describe.each(PLATFORMS)('On $platform, the path of the routes in a file', (platform) => {
  let folder: string;
  let app: INestApplication;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tillkit-config-'));
    writeFile(folder, FILE);
  });
  afterEach(async () => {
    await app.close();
    rmSync(folder, { recursive: true });
    for (const name of Object.keys(FILE)) delete process.env[name];
  });

  const start = async (
    options: ConfigModuleOptions,
    declared: () => DynamicModule,
  ): Promise<void> => {
    const config = ConfigModule.forRoot({ envFilePath: join(folder, '.env'), ...options });
    const module = await Test.createTestingModule({ imports: [config, declared()] })
      .setLogger(false as never)
      .compile();
    app = platform.create(module);
    app.useLogger(false);
    await app.listen(0, '127.0.0.1');
  };

  const statusOf = async (path: string): Promise<number> =>
    (await fetch(`${await app.getUrl()}/${path}`, { method: 'POST', body: '{}' })).status;

  const WAYS: [string, ConfigModuleOptions][] = [
    ['reads it at once', {}],
    ['reads it after a check by a schema', { validationSchema: SCHEMA as never }],
    [
      'knows it without the environment',
      { isGlobal: true, ignoreEnvFile: true, load: [() => FILE] },
    ],
  ];

  it.each(WAYS)('is the one of a declared account when ConfigModule %s', async (_, options) => {
    await start(options, () => PaymentsModule.forRoot());
    expect(app.get(WebhookSubscriptionsService).webhookUrl()).toBe(
      'https://shop.example/mobile/money/webhooks',
    );
    // A delivery without a signature is refused; where no route is, nothing is found.
    expect(await statusOf('mobile/money/webhooks')).toBe(401);
    expect(await statusOf('payments/webhooks')).toBe(404);
  });

  it.each(WAYS)('is the one of an added account when ConfigModule %s', async (_, options) => {
    await start(options, () => PaymentsModule.forAccounts({ background: false }));
    const account = await app.get(PaymentsAccounts).add('shop', SHOP);
    expect(account.get(WebhookSubscriptionsService).webhookUrl()).toBe(
      'https://shop.example/mobile/money/accounts/shop/webhooks',
    );
    expect(await statusOf('mobile/money/accounts/shop/webhooks')).toBe(401);
    expect(await statusOf('payments/accounts/shop/webhooks')).toBe(404);
  });

  it('does not replace a path that is an option', async () => {
    await start({}, () => PaymentsModule.forRoot({ path: 'till' }));
    expect(app.get(WebhookSubscriptionsService).webhookUrl()).toBe(
      'https://shop.example/till/webhooks',
    );
    expect(await statusOf('till/webhooks')).toBe(401);
  });
});

describe('A file .env in the working directory that nothing reads', () => {
  const before = process.cwd();
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tillkit-config-'));
    process.chdir(folder);
  });
  afterEach(() => {
    process.chdir(before);
    rmSync(folder, { recursive: true });
    for (const name of [...Object.keys(FILE), 'PAYMENTS_DATABASE_URL']) delete process.env[name];
  });

  const start = async (...imports: (DynamicModule | Promise<DynamicModule>)[]): Promise<void> => {
    const app = await Test.createTestingModule({ imports })
      .setLogger(false as never)
      .compile();
    await app.close();
  };

  const CURE = /\.env has PAYMENTS_.*write ConfigModule\.forRoot\(\) of @nestjs\/config before/;

  it('is named when settings are missing that it has, with the import that reads it', async () => {
    writeFile(folder, FILE);
    await expect(start(PaymentsModule.forRoot())).rejects.toThrow(CURE);
    await start(ConfigModule.forRoot(), PaymentsModule.forRoot());
  });

  it('is named for a database too', async () => {
    writeFile(folder, { PAYMENTS_DATABASE_URL: 'postgres://127.0.0.1:1/shop' });
    await expect(start(PostgresStoreModule.forRoot())).rejects.toThrow(CURE);
  });

  it('is named for what added accounts have in common', async () => {
    writeFile(folder, { ...FILE, PAYMENTS_PATH: '' });
    const app = await Test.createTestingModule({
      imports: [PaymentsModule.forAccounts({ background: false })],
    })
      .setLogger(false as never)
      .compile();
    await expect(app.get(PaymentsAccounts).add('shop', SHOP)).rejects.toThrow(CURE);
    await app.close();
  });

  it.each([
    [
      'it has none of what is missing',
      { PAYMENTS_TILL_NUMBER: '514459', PAYMENTS_CLIENT_ID: '' },
      {},
    ],
    ['the account reads no variables', FILE, { account: 'shop' }],
  ])('is not named when %s', async (_, variables, options) => {
    writeFile(folder, variables);
    const starting = start(PaymentsModule.forRoot(options));
    await expect(starting).rejects.toThrow(/is missing/);
    await expect(starting).rejects.not.toThrow(/\.env/);
  });
});
