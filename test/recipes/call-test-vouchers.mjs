// Runs beside the compiled sources of a recipe: calls the resource that it added. Arguments: the URL of a platform.
import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { PaymentsModule, PaymentsValidationError, TestVouchersService } from './dist/index.js';

const [baseUrl] = process.argv.slice(2);
const options = {
  baseUrl,
  clientId: 'id',
  clientSecret: 'secret',
  apiKeys: ['key'],
  publicUrl: 'http://127.0.0.1:9',
  background: false,
};

class AppModule {}
Module({ imports: [PaymentsModule.forRoot(options)] })(AppModule);

const app = await NestFactory.createApplicationContext(AppModule, { logger: false });
const vouchers = app.get(TestVouchersService);
const refused = await vouchers.create({ text: '' }).catch((error) => error);
const { id } = await vouchers.create({ text: 'one coffee' });
const { raw, ...voucher } = await vouchers.get(id);
await app.close();
process.stdout.write(
  JSON.stringify({
    isRefused: refused instanceof PaymentsValidationError,
    voucher,
    type: raw.type,
  }),
);
