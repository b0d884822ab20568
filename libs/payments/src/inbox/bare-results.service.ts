import { Injectable } from '@nestjs/common';
import type { ResourceEnvelope } from '../money/resource-envelope.js';
import { Resources } from '../platform/resources.js';
import type { DeliveryRecord } from '../store/deliveries.store.js';
import { BareResultLedger } from '../tills/bare-result.ledger.js';
import { BackgroundRequests } from '../work/background-requests.js';
import { BARE_PREFIX, CallbackUrls, SWEEP_PREFIX } from '../work/callback-urls.js';
import { BARE_RESULTS } from './bare-results.js';
import { handedOutId, idIn } from './callback-id.js';
import { APPLIED, UNMATCHED, type DeliveryOutcome } from './delivery.outcome.js';

/** Applies results of bare requests: one event for each id, once it is final. Results of our own sweeps emit no event. */
@Injectable()
export class BareResultsService {
  constructor(
    private readonly ledger: BareResultLedger,
    private readonly urls: CallbackUrls,
    private readonly background: BackgroundRequests,
    private readonly resources: Resources,
  ) {}

  async apply(
    { account, verifiedBy }: DeliveryRecord,
    envelope: ResourceEnvelope,
  ): Promise<DeliveryOutcome> {
    const results = BARE_RESULTS.find(({ types }) => types.includes(envelope.type));
    if (!results) return { kind: 'unrecognised', why: `type ${envelope.type} is not known` };
    const { resource, read, get } = results;
    const ownId = idIn(envelope.links.callbackUrl, resource);
    if (ownId?.startsWith(SWEEP_PREFIX)) return APPLIED;
    if (!ownId?.startsWith(BARE_PREFIX)) return UNMATCHED;
    const isSigned = verifiedBy === 'signature';
    const result = isSigned
      ? read(envelope)
      : await this.background.confirm(account, 'confirmation', (turn) =>
          get(this.resources.of(account, turn), envelope.id),
        );
    if (!result.isFinal) return APPLIED;
    const { callbackUrl } = result.links;
    if (handedOutId(this.urls, account, resource, callbackUrl, isSigned) === null) return UNMATCHED;
    await this.ledger.apply(result.event(account), ownId, result.transaction);
    return APPLIED;
  }
}
