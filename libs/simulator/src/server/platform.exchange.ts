import type { IncomingHttpHeaders } from 'node:http';
import type { FaultKind, FaultOptions } from '../faults/faults.constants.js';
import type { Faults, FaultSubject } from '../faults/faults.service.js';
import type { PlatformAnswer } from './platform.answer.js';

/** One request being answered. */
export class PlatformExchange {
  /** The faults that applied to it, for the journal. */
  readonly struck: FaultKind[] = [];
  /** What a fault has decided to answer once the request is carried out. */
  afterCommit: PlatformAnswer | null = null;

  constructor(
    readonly method: string,
    readonly url: string,
    readonly headers: IncomingHttpHeaders,
    readonly params: Readonly<Record<string, string>>,
    readonly body: Buffer | null,
    private readonly faults: Faults,
    /** Waits on the simulator's clock, and doesn't count as in flight meanwhile. */
    readonly wait: (ms: number) => Promise<void>,
  ) {}

  strike(kind: FaultKind, subject: FaultSubject): FaultOptions | null {
    const options = this.faults.strike(kind, subject);
    if (options) this.struck.push(kind);
    return options;
  }
}

/** One endpoint of the platform. */
export interface PlatformRoute {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  handle(exchange: PlatformExchange): PlatformAnswer | Promise<PlatformAnswer>;
}
