import type { PaymentsSettings } from '../../accounts/payments.settings.js';
import { LastingProblem } from '../../runtime/logging.js';

/** One slow answer is no outage, and one answer no recovery: a platform that fails now and then must not fill the log. */
const FAILURES_IN_A_ROW = 3;
const ANSWERS_IN_A_ROW = 3;

/** Logs when one origin of an account's platform cannot be used, with the likely cause, and when it can be used again. */
export class PlatformReachability {
  private readonly problem = new LastingProblem();
  private failures = 0;
  private answers = 0;

  /** @param origin `baseUrl` or `tokenBaseUrl` of the settings */
  constructor(
    private readonly settings: PaymentsSettings,
    private readonly origin: string,
  ) {}

  answered(status: number): void {
    if (status >= 500) {
      this.failed(`it answers ${status}`, "check the platform's status");
      return;
    }
    this.failures = 0;
    this.answers += 1;
    if (this.answers < ANSWERS_IN_A_ROW) return;
    this.problem.end(`${this.name} answers again`, { account: this.settings.account });
  }

  /** @param isSent true when the request may have been sent */
  unanswered(why: string, cure: string, isSent: boolean): void {
    // A refused connection or an unknown name does not pass by itself as a slow answer does.
    if (!isSent) this.failures = FAILURES_IN_A_ROW;
    this.failed(why, cure);
  }

  private get name(): string {
    return this.origin === this.settings.baseUrl ? 'the platform' : 'the token host';
  }

  private failed(why: string, cure: string): void {
    this.failures += 1;
    this.answers = 0;
    if (this.failures < FAILURES_IN_A_ROW) return;
    const { account, sending } = this.settings;
    this.problem.begin(
      `${this.name} cannot be used (${why}): ${cure}. ` +
        `A payment that cannot be sent within ${sending.sendBeforeMs / 1_000} s fails as not_sent, and nobody is ` +
        'charged; the outcome of a payment that was sent is read when the platform is back',
      { account },
    );
  }
}
