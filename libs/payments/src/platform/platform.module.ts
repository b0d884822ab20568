import { Global, Module } from '@nestjs/common';
import { HttpModule } from '@nestjs/axios';
import { PaymentsWorkModule } from '../work/work.module.js';
import { PaymentsStoreModule } from '../store/store.module.js';
import { PlatformHttp } from './http/platform.http.js';
import { BareRequests } from './bare-requests.js';
import { Resources } from './resources.js';

const PLATFORM = [PlatformHttp, BareRequests, Resources];

/**
 * The wire: HTTP to the platform, its access tokens, one client for each account, and a folder for each resource: what is written, what is read.
 *
 * It must never know an operation of ours, and never repeat a create that may have been processed.
 */
@Global()
@Module({
  imports: [PaymentsWorkModule, PaymentsStoreModule, HttpModule.register({})],
  providers: PLATFORM,
  exports: PLATFORM,
})
export class PaymentsPlatformModule {}
