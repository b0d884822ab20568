import type { IncomingHttpHeaders } from 'node:http';
import type { FaultKind, FaultOptions } from '../faults/faults.constants.js';
import type { Faults } from '../faults/faults.service.js';
import type { FaultSubject } from '../faults/fault.subject.js';
import type { PlatformAnswer } from './platform-answer.dto.js';

/** One request and the state of its processing. */
export class PlatformExchange {
  /** The faults injected into it, for the journal. */
  readonly injectedFaults: FaultKind[] = [];
  /** The answer of a fault that was drawn before the commit and is sent after it. */
  afterCommit: PlatformAnswer | null = null;
  /** The name of the merchant whose credentials it has; null when it has none that are known. */
  merchant: string | null = null;

  constructor(
    readonly method: string,
    readonly url: string,
    readonly headers: IncomingHttpHeaders,
    readonly params: Readonly<Record<string, string>>,
    readonly body: Buffer | null,
    private readonly faults: Faults,
    /** Waits on the simulator's clock. Meanwhile the request does not count as in flight. */
    readonly wait: (ms: number) => Promise<void>,
  ) {}

  inject(kind: FaultKind, subject: FaultSubject): FaultOptions | null {
    const options = this.faults.inject(
      kind,
      this.merchant === null ? subject : { ...subject, merchant: this.merchant },
    );
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
