import 'reflect-metadata';
import type { INestApplication, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { PaymentsOptions } from '@tillkit/payments';
import { API_KEY, TILL } from '../bench.constants.js';
import type { PlatformName } from '../platforms.js';

/** Creates a host application on Express or Fastify. */
export async function createApplication(
  module: Type,
  platform: PlatformName,
  options: { rawBody?: boolean } = {},
): Promise<INestApplication> {
  const quiet = { logger: ['error'] as 'error'[], ...options };
  return platform === 'fastify'
    ? NestFactory.create<NestFastifyApplication>(module, new FastifyAdapter(), quiet)
    : NestFactory.create(module, new ExpressAdapter(), quiet);
}

/** Listens on a free port. @returns its origin */
export async function listen(app: INestApplication): Promise<string> {
  await app.listen(0, '127.0.0.1');
  const { port } = (app.getHttpServer() as { address(): { port: number } }).address();
  return `http://127.0.0.1:${port}`;
}

/** Returns the required options of an account; all others have their defaults. */
export function accountOptions(baseUrl: string, changes: PaymentsOptions = {}): PaymentsOptions {
  return {
    baseUrl,
    clientId: 'bench-client-id',
    clientSecret: 'bench-client-secret',
    apiKeys: [API_KEY],
    publicUrl: 'http://127.0.0.1:9',
    tillNumber: TILL,
    defaultCountry: 'KE',
    ...changes,
  };
}
