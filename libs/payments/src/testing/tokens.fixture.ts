import type { PlatformHttp } from '../platform/http/platform-http.js';
import type { PlatformRequest, PlatformResponse } from '../platform/http/platform-answer.js';
import type { Reloaded } from '../accounts/account-entry.js';
import type { PaymentsSettings } from '../accounts/payments.settings.js';
import { TokensService } from '../platform/tokens/tokens.service.js';
import { ShutdownSignal } from '../runtime/shutdown-signal.js';
import { MemoryStore } from '../memory/memory.store.js';
import { accountsOf, SETTINGS } from './ledger.fixture.js';
import { SkippingRuntime } from './skipping.runtime.js';

const TOKEN_HOST = 'https://tokens.example';
export const TOKEN_LIFE_MS = 3_600_000;

type Answer = Partial<PlatformResponse> | Error;

export const answered = (
  status: number,
  body: object = {},
  more: Partial<PlatformResponse> = {},
): Answer => ({
  status,
  text: JSON.stringify(body),
  ...more,
});
export const aToken = (value: string, expiresInS = TOKEN_LIFE_MS / 1000): Answer =>
  answered(200, { access_token: value, token_type: 'Bearer', expires_in: expiresInS });

/** A platform that gives `token-1`, `token-2` and so on, and answers a test's next answers first. */
class ScriptedPlatform {
  readonly requests: PlatformRequest[] = [];
  readonly next: Answer[] = [];
  /** The platform awaits this before each answer. */
  meanwhile: () => unknown = () => undefined;
  private tokens = 0;

  async request(_settings: PaymentsSettings, request: PlatformRequest): Promise<PlatformResponse> {
    this.requests.push(request);
    const given = this.next.shift();
    await this.meanwhile();
    const answer = given ?? this.usual(request);
    if (answer instanceof Error) throw answer;
    return { status: 200, location: null, retryAfter: null, date: null, text: '{}', ...answer };
  }

  get tokenRequests(): number {
    return this.requests.filter(({ path }) => path === '/oauth/token').length;
  }

  private usual({ path }: PlatformRequest): Answer {
    if (path !== '/oauth/token') return answered(200);
    this.tokens += 1;
    return aToken(`token-${this.tokens}`);
  }
}

/** Processes with one store and one account, which ask a scripted platform for tokens. */
export class TokenReplicas {
  readonly runtime = new SkippingRuntime();
  readonly store = new MemoryStore(() => this.runtime.now());
  readonly platform = new ScriptedPlatform();
  settings: PaymentsSettings = { ...SETTINGS, tokenBaseUrl: TOKEN_HOST };
  readonly shutdown = new ShutdownSignal(this.runtime);
  /** Loads the account again, and says what that changed. */
  reload: () => Reloaded = () => 'same';
  /** The number of times that the account was brought up to date before it was used. */
  refreshes = 0;

  /** The account has other settings from now on. */
  change(changes: Partial<PaymentsSettings>): void {
    this.settings = { ...this.settings, ...changes };
  }

  /**
   * Opens another process.
   * @param of settings that do not change
   */
  open(of?: PaymentsSettings): TokensService {
    const now = (): PaymentsSettings => of ?? this.settings;
    const accounts = accountsOf(now());
    accounts.loadWith({
      look: () => Promise.resolve(true),
      seenSettings: () => undefined,
      isMissing: () => false,
      load: () => Promise.resolve(true),
      loadForWork: () => undefined,
      reload: () => Promise.resolve(this.reload()),
      refreshOld: () => {
        this.refreshes += 1;
        return Promise.resolve();
      },
    });
    return new TokensService(
      this.platform as unknown as PlatformHttp,
      this.store.tokens,
      accounts,
      this.shutdown,
      {
        get current() {
          return now();
        },
      },
      this.runtime,
    );
  }
}
