import { Global, Module } from '@nestjs/common';
import { BackgroundRequests, PlatformWaits } from './background-requests.js';
import { PlatformClocks } from './platform-clock.js';
import { PlatformHttp } from './http/platform-http.js';
import { RefusedCreates } from './http/refused-creates.js';
import { AuthorizedRequests } from './http/authorized-requests.js';
import { AccountTokens } from './tokens/tokens.service.js';
import { PollingWindowsService } from './resources/polling-windows.service.js';
import { BareRequests } from './bare-requests.js';
import { Resources } from './resources.js';

const PLATFORM = [
  PlatformClocks,
  PlatformWaits,
  BackgroundRequests,
  PlatformHttp,
  RefusedCreates,
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
@Module({ providers: PLATFORM, exports: PLATFORM })
export class PaymentsPlatformModule {}
