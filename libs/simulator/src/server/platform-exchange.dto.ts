import type { IncomingHttpHeaders } from 'node:http';
import type { FaultKind, FaultOptions } from '../faults/faults.constants.js';
import type { FaultInjector, Faults } from '../faults/faults.service.js';
import type { FaultSubject } from '../faults/fault-subject.js';
import type { PlatformAnswer } from './platform-answer.dto.js';

/** One request and the state of its processing. */
export class PlatformExchange {
  /** The faults injected into it, for the journal. */
  readonly injectedFaults: FaultKind[] = [];
  /** The answer of a fault that was drawn before the commit and is sent after it. */
  afterCommit: PlatformAnswer | null = null;
  /** The name of the merchant whose credentials the request has; null when we know no such merchant. */
  merchant: string | null = null;
  private injector: FaultInjector;

  constructor(
    readonly method: string,
    readonly url: string,
    readonly headers: IncomingHttpHeaders,
    readonly params: Readonly<Record<string, string>>,
    readonly body: Buffer | null,
    private readonly faults: Faults,
    /** Waits on the simulator's clock. Meanwhile the request does not count as in flight. */
    readonly wait: (ms: number) => Promise<void>,
  ) {
    this.injector = faults;
  }

  /** Sets the merchant of the request. From now on the request gets the faults of this merchant. */
  belongsTo(merchant: string): void {
    this.merchant = merchant;
    this.injector = this.faults.forMerchant(merchant);
  }

  inject(kind: FaultKind, subject: FaultSubject): FaultOptions | null {
    const options = this.injector.inject(kind, subject);
    if (options) this.injectedFaults.push(kind);
    return options;
  }
}

/** One endpoint of the platform. */
export interface PlatformRoute {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  handle(exchange: PlatformExchange): PlatformAnswer | Promise<PlatformAnswer>;
}
