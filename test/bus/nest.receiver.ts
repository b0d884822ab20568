import { Controller, Module, type INestMicroservice } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  Ctx,
  EventPattern,
  Payload,
  Transport,
  type MicroserviceOptions,
  type RmqContext,
} from '@nestjs/microservices';
import type { Channel, Message } from 'amqplib';
import type { PaymentsCloudEvent } from '@tillkit/payments/microservices';
import { rabbitUrl } from './brokers.js';

/** A plain Nest application that receives from RabbitMQ, and knows nothing of the library but the type of an event. */
export class NestReceiver {
  private constructor(
    private readonly app: INestMicroservice,
    readonly ids: ReadonlySet<string>,
  ) {}

  static async start(port: number, queue: string, exchange: string): Promise<NestReceiver> {
    const ids = new Set<string>();

    @Controller()
    class Receiver {
      @EventPattern('payment.*')
      paid(@Payload() event: PaymentsCloudEvent, @Ctx() received: unknown): void {
        const context = received as RmqContext;
        ids.add(event.id);
        (context.getChannelRef() as Channel).ack(context.getMessage() as unknown as Message);
      }
    }

    @Module({ controllers: [Receiver] })
    class ReceiverModule {}

    const app = await NestFactory.createMicroservice<MicroserviceOptions>(ReceiverModule, {
      logger: false,
      transport: Transport.RMQ,
      options: {
        urls: [rabbitUrl(port)],
        queue,
        queueOptions: { durable: true },
        exchange,
        wildcards: true,
        noAck: false,
      },
    });
    await app.listen();
    return new NestReceiver(app, ids);
  }

  async close(): Promise<void> {
    await this.app.close();
  }
}
