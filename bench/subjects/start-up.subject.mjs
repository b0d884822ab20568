/**
 * Starts an application and reports the time since the start of its process, and its memory. It is plain JavaScript without
 * loader hooks, because it must load only what a merchant's application loads.
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

/** Loads the peer dependencies, which most hosts load anyway. */
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
