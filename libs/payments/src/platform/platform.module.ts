import { Global, Module } from '@nestjs/common';
import { PaymentsWorkModule } from '../work/work.module.js';
import { PaymentsStoreModule } from '../store/store.module.js';
import { PlatformHttp } from './http/platform-http.js';
import { AuthorizedRequests } from './http/authorized-requests.js';
import { AccountTokens } from './tokens/account-tokens.js';
import { PollingWindowsService } from './resources/polling/polling-windows.service.js';
import { BareRequests } from './bare-requests.js';
import { Resources } from './resources.js';

const PLATFORM = [
  PlatformHttp,
  AuthorizedRequests,
  AccountTokens,
  BareRequests,
  Resources,
  PollingWindowsService,
];

/**
 * The wire: HTTP to the platform, its access tokens, one client for each account, and a folder for each resource: what is written, what is read.
 *
 * It must never know an operation of ours, and never repeat a create that may have been processed.
 */
@Global()
@Module({
  imports: [PaymentsWorkModule, PaymentsStoreModule],
  providers: PLATFORM,
  exports: PLATFORM,
})
export class PaymentsPlatformModule {}
