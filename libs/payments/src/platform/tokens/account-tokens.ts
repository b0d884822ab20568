import { Injectable } from '@nestjs/common';
import { TokensStore } from '../../store/tokens.store.js';
import { KnownAccounts } from '../../work/known-accounts.js';
import type { CurrentSettings } from '../../work/payments.settings.js';
import { ShutdownSignal } from '../../work/shutdown-signal.js';
import { Runtime } from '../../work/runtime.js';
import { PlatformHttp } from '../http/platform-http.js';
import { TokensService } from './tokens.service.js';

/** Makes the service that keeps the token of an account. */
@Injectable()
export class AccountTokens {
  constructor(
    private readonly http: PlatformHttp,
    private readonly store: TokensStore,
    private readonly accounts: KnownAccounts,
    private readonly shutdown: ShutdownSignal,
    private readonly runtime: Runtime,
  ) {}

  of(settings: CurrentSettings): TokensService {
    const { http, store, accounts, shutdown, runtime } = this;
    return new TokensService(http, store, accounts, shutdown, settings, runtime);
  }
}
