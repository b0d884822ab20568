import { Recent } from '../work/recent.js';
import type { Runtime } from '../work/runtime.js';
import type { ClaimedDelivery } from '../store/deliveries.store.js';
import type { Message } from './delivery-parser.js';

/** A smaller body is parsed in less time than it takes to look what it names up. */
export const LARGE_BODY_BYTES = 16 * 1024;

/** Longer names are not kept: ours are shorter. */
const LONGEST_NAME = 512;

/** What a result names: by this its operation or request is found. */
export interface ResultName {
  id: string;
  type: string;
  callbackUrl: string | null;
}

/** What large results name of which this process has found no operation, so that they are not parsed again until there is one. */
export class UnmatchedResults {
  private readonly names: Recent<ResultName>;

  constructor(runtime: Pick<Runtime, 'elapsed'>) {
    this.names = new Recent(runtime);
  }

  of({ id }: ClaimedDelivery): ResultName | null {
    return this.names.get(id);
  }

  keep({ id, body }: ClaimedDelivery, message: Message): void {
    if (message.kind !== 'result' || body.length < LARGE_BODY_BYTES) return;
    const { id: platformId, type, links } = message.resource;
    const { callbackUrl } = links;
    if (type.length + (callbackUrl?.length ?? 0) <= LONGEST_NAME)
      this.names.put(id, { id: platformId, type, callbackUrl });
  }

  /** Keeps it for the next retry, too. */
  keepOn({ id }: ClaimedDelivery, name: ResultName): void {
    this.names.put(id, name);
  }

  forget({ id }: ClaimedDelivery): void {
    this.names.delete(id);
  }
}
