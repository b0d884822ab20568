import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type ChannelModel } from 'amqplib';
import { rabbitUrl } from './brokers.js';
import { ReceivedEvents } from './received.events.js';

/** A receiver that knows neither Nest nor this library. It acknowledges what it has counted, and comes back when RabbitMQ does. */
export class RabbitReceiver {
  readonly received = new ReceivedEvents();
  private connection: ChannelModel | null = null;
  private isClosed = false;
  private running: Promise<void> | undefined;

  private constructor(
    private readonly port: number,
    private readonly queue: string,
    private readonly exchange: string | null,
  ) {}

  /** Resolves when the queue exists, and is bound. */
  static async start(
    port: number,
    queue: string,
    exchange: string | null = null,
  ): Promise<RabbitReceiver> {
    const receiver = new RabbitReceiver(port, queue, exchange);
    const connection = await receiver.consume();
    receiver.running = receiver.keepConsuming(connection);
    return receiver;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await this.connection?.close().catch(() => undefined);
    await this.running;
  }

  private async keepConsuming(first: ChannelModel): Promise<void> {
    let connection: ChannelModel | null = first;
    while (!this.isClosed) {
      if (connection) await closed(connection);
      else await sleep(200);
      if (!this.isClosed) connection = await this.consume().catch(() => null);
    }
  }

  private async consume(): Promise<ChannelModel> {
    const connection = await connect(rabbitUrl(this.port));
    this.connection = connection;
    connection.on('error', () => undefined);
    const channel = await connection.createChannel();
    channel.on('error', () => undefined);
    await channel.assertQueue(this.queue, { durable: true });
    if (this.exchange !== null) {
      await channel.assertExchange(this.exchange, 'topic', { durable: true });
      await channel.bindQueue(this.queue, this.exchange, '#');
    }
    await channel.consume(this.queue, (message) => {
      if (!message) return;
      this.received.receive(message.content.toString());
      channel.ack(message);
    });
    return connection;
  }
}

/** We do not use `once()` of `node:events`, which rejects when the connection breaks. */
function closed(connection: ChannelModel): Promise<void> {
  return new Promise((resolve) => connection.once('close', () => resolve()));
}
