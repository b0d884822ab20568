import { Global, Module, type Provider } from '@nestjs/common';
import { PaymentsInboxModule } from '../inbox/inbox.module.js';
import { RouteRegistry, SignedCallbackUrls } from './signed-callback-urls.js';
import { RawBodyCapture } from './raw-body-capture.js';
import { NearMisses, RefusalLog } from './refusals.js';
import { DeliveryAdmission } from './delivery-admission.js';
import { CallbackUrls } from '../platform/callback-urls.js';

const DOOR: Provider[] = [
  RouteRegistry,
  RawBodyCapture,
  RefusalLog,
  NearMisses,
  DeliveryAdmission,
  { provide: CallbackUrls, useClass: SignedCallbackUrls },
];

/**
 * From the socket to a verified delivery: the routes on Express and Fastify, the limits of a body, the signature over the bytes, the MAC in a URL,
 * and the URLs that we give to the platform.
 *
 * It must never parse a body before it is verified, and it knows no ledger.
 */
@Global()
@Module({
  imports: [PaymentsInboxModule],
  providers: DOOR,
  exports: [RouteRegistry, RawBodyCapture, RefusalLog, NearMisses, DeliveryAdmission, CallbackUrls],
})
export class PaymentsDoorModule {}
