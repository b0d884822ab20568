import { Transport, type ClientProviderOptions } from '@nestjs/microservices';
import { rabbitUrl } from './brokers.js';

/** The queue of the simplest set-up, and the exchange of the other. */
export const QUEUE = 'payments';
export const EXCHANGE = 'payments-events';

export type BusKind = 'rabbitmq-queue' | 'rabbitmq-exchange' | 'redis' | 'nats';

/** The settings of the application, passed in its environment variables. */
export interface BusSettings {
  kind: BusKind;
  busPort: number;
  port: number;
  databaseUrl: string;
  baseUrl: string;
  clientId: string;
  clientSecret: string;
  apiKey: string;
  publicUrl: string;
}

/** Returns the clients as docs/bus.md shows them. */
export function clientFor({ kind, busPort }: BusSettings): ClientProviderOptions {
  const urls = [rabbitUrl(busPort)];
  const name = 'BUS';
  switch (kind) {
    case 'rabbitmq-queue':
      return {
        name,
        transport: Transport.RMQ,
        options: { urls, queue: QUEUE, queueOptions: { durable: true }, persistent: true },
      };
    case 'rabbitmq-exchange':
      return {
        name,
        transport: Transport.RMQ,
        options: { urls, exchange: EXCHANGE, wildcards: true, persistent: true },
      };
    case 'redis':
      return {
        name,
        transport: Transport.REDIS,
        options: {
          host: '127.0.0.1',
          port: busPort,
          retryAttempts: Number.MAX_SAFE_INTEGER,
          retryDelay: 200,
        },
      };
    case 'nats':
      return {
        name,
        transport: Transport.NATS,
        options: {
          servers: [`127.0.0.1:${busPort}`],
          maxReconnectAttempts: -1,
          reconnectTimeWait: 200,
        },
      };
  }
}
