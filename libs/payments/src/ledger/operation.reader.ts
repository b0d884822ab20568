import { Injectable } from '@nestjs/common';
import { BackgroundRequests } from '../work/background-requests.js';
import { PlatformClocks } from '../work/platform-clock.js';
import type { BackgroundRequest } from '../work/rate-limiter.js';
import { Ledger } from './ledger.js';
import { OperationEvidenceService } from './operation-evidence.service.js';
import { OperationKinds } from './operation.kind.js';
import type { Operation } from '../store/operation.js';

/** Reads the resource of an operation from the platform, and applies it. */
@Injectable()
export class OperationReader<O extends Operation = Operation> {
  constructor(
    private readonly kinds: OperationKinds,
    private readonly ledger: Ledger<O>,
    private readonly evidence: OperationEvidenceService<O>,
    private readonly background: BackgroundRequests,
    private readonly clocks: PlatformClocks,
  ) {}

  /** Resolves with the operation after the read. It sends no request if the state has changed while the request waited. */
  async read(operation: O & { platformId: string }, kind: BackgroundRequest): Promise<O> {
    const { account, platformId, state } = operation;
    return this.background.run(account, kind, async (permit) => {
      const current = await this.ledger.find(operation);
      if (current.state !== state) return current;
      const asked = this.clocks.of(account).moment();
      const shown = await this.kinds.of(operation).read(account, platformId, permit);
      return this.evidence.apply(current, shown, 'status', asked());
    });
  }
}

export function hasPlatformId<O extends Operation>(
  operation: O,
): operation is O & { platformId: string } {
  return operation.platformId !== null;
}
