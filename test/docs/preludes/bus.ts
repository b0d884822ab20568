/** The code of docs/bus.md uses these names without declaring them. */
import { EventPattern, Payload } from '@nestjs/microservices';

export { ConfigService } from '@nestjs/config';
export { ClientsModule, Transport } from '@nestjs/microservices';
export { ForwardPaymentEvents, type PaymentsCloudEvent } from '@tillkit/payments/microservices';
export { EventPattern, Payload };

export abstract class Host {}

export declare const orders: {
  markPaid(order: string, reference: string, eventId: string): Promise<void>;
};
