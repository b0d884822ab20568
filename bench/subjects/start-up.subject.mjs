/**
 * Starts an application, says how long that took from the beginning of its process, and what it keeps in memory. Plain
 * JavaScript, run without hooks: nothing may be loaded that a merchant's application would not load.
 */
import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';

const { platform, imports: parts } = JSON.parse(process.env.SUBJECT);

const adapter =
  platform === 'fastify'
    ? new (await import('@nestjs/platform-fastify')).FastifyAdapter()
    : new (await import('@nestjs/platform-express')).ExpressAdapter();
const frameworkAt = performance.now();

async function paymentsModule() {
  const { PaymentsModule } = await import('@tillkit/payments');
  return PaymentsModule.forRoot({
    baseUrl: 'http://127.0.0.1:9',
    clientId: 'bench-client-id',
    clientSecret: 'bench-client-secret',
    apiKeys: ['bench-api-key'],
    publicUrl: 'http://127.0.0.1:9',
    tillNumber: '514459',
    defaultCountry: 'KE',
  });
}

/** What a host that checks its input and calls other services over HTTP has loaded anyway. */
async function loadPeers() {
  await Promise.all([
    import('@nestjs/axios'),
    import('@nestjs/config'),
    import('@nestjs/event-emitter'),
    import('class-transformer'),
    import('class-validator'),
  ]);
}

if (parts !== 'nothing') await loadPeers();
const imports = parts === 'payments' ? [await paymentsModule()] : [];
const importedAt = performance.now();

class AppModule {}
Module({ imports })(AppModule);

const app = await NestFactory.create(AppModule, adapter, { logger: false });
await app.listen(0, '127.0.0.1');
const listeningAt = performance.now();

globalThis.gc();
const { rss, heapUsed } = process.memoryUsage();
process.send({
  ms: listeningAt,
  importMs: importedAt - frameworkAt,
  bootstrapMs: listeningAt - importedAt,
  rssMb: rss / 2 ** 20,
  heapMb: heapUsed / 2 ** 20,
});
await app.close();
process.disconnect();
