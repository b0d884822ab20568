/**
 * The path of the routes comes from a file that ConfigModule reads, without and with a schema of joi: with one, ConfigModule 12 fills the
 * environment after the modules of an application are declared, and ConfigModule 4 before.
 */
import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { ConfigModule, type ConfigModuleOptions } from '@nestjs/config';
import { NestFactory } from '@nestjs/core';
import { PaymentsModule, WebhookSubscriptionsService } from '@tillkit/payments';
import Joi from 'joi';

const SCHEMA = Joi.object({ PAYMENTS_PATH: Joi.string().required() });

async function start(options: ConfigModuleOptions): Promise<void> {
  @Module({
    imports: [
      ConfigModule.forRoot({ envFilePath: ['path.env', '.env'], ...options }),
      PaymentsModule.forRoot(),
    ],
  })
  class AppModule {}

  const app = await NestFactory.create(AppModule, { logger: ['error'] });
  await app.listen(0, '127.0.0.1');
  const { pathname } = new URL(app.get(WebhookSubscriptionsService).webhookUrl());
  const { status } = await fetch((await app.getUrl()) + pathname, { method: 'POST', body: '{}' });
  await app.close();
  for (const name of Object.keys(process.env))
    if (name.startsWith('PAYMENTS_')) delete process.env[name];
  // A delivery without a signature is refused; where no route is, nothing is found.
  if (pathname !== '/mobile/money/webhooks' || status !== 401)
    throw new Error(`${pathname} was answered ${status}`);
}

async function main(): Promise<void> {
  await start({});
  await start({ validationSchema: SCHEMA });
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
