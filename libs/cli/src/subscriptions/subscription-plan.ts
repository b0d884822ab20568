import type { CreateWebhookSubscriptionDto } from '@tillkit/payments';
import type { WebhookSubscription } from '@tillkit/payments/types';
import { sealUrlMacs } from '@tillkit/payments/internal/tools';
import type { CreatedSubscription, SubscriptionFacts } from './created-subscriptions.js';

/**
 * `keep`: it was created and the platform shows it. `create`: it was not created, or the platform does not have it any more. `differs`: the
 * platform shows something else than was created. `remove`: it is not declared any more. A person must correct the last two in the portal.
 */
export type Action = 'keep' | 'create' | 'differs' | 'remove';

export interface PlannedSubscription extends SubscriptionFacts {
  action: Action;
  /** Id at the platform; null when it is to be created. */
  id: string | null;
  /** The reason of the action; null when nothing needs an explanation. */
  why: string | null;
}

/** A subscription as the file has it, and as the platform shows it now; null when the platform has none with its id. */
export interface Recorded {
  created: CreatedSubscription;
  shown: WebhookSubscription | null;
}

export function factsOf(
  declared: CreateWebhookSubscriptionDto,
  webhookUrl: string,
): SubscriptionFacts {
  return {
    eventType: declared.eventType,
    scope: declared.scope,
    scopeReference: declared.scopeReference || null,
    url: sealUrlMacs(declared.url ?? webhookUrl),
    daraja: declared.enableDarajaPayload ?? false,
  };
}

/** Compares the declared subscriptions with those that were created. */
export function planOf(
  declared: readonly SubscriptionFacts[],
  recorded: readonly Recorded[],
): PlannedSubscription[] {
  const left = [...recorded];
  const wanted = declared.map((facts) => {
    const at = left.findIndex(({ created }) => isSame(facts, created));
    const [found] = at < 0 ? [] : left.splice(at, 1);
    return found
      ? judged(facts, found)
      : ({ ...facts, action: 'create', id: null, why: null } as const);
  });
  const others = left
    .filter(({ shown }) => shown !== null)
    .map(({ created }): PlannedSubscription => {
      const { id, account: _account, platform: _platform, createdAt: _at, ...facts } = created;
      const why =
        'it is not declared any more, and the platform has no way to delete it: remove it in the portal';
      return { ...facts, action: 'remove', id, why };
    });
  return [...wanted, ...others];
}

function judged(facts: SubscriptionFacts, { created, shown }: Recorded): PlannedSubscription {
  if (!shown) {
    const why = `the platform does not have ${created.id} any more`;
    return { ...facts, action: 'create', id: null, why };
  }
  const difference = differenceOf(facts, shown);
  return difference
    ? {
        ...facts,
        action: 'differs',
        id: created.id,
        why: `${difference}: correct it in the portal`,
      }
    : { ...facts, action: 'keep', id: created.id, why: null };
}

/** We compare only the fields that the platform shows, because its documentation does not say which fields it shows. */
function differenceOf(facts: SubscriptionFacts, shown: WebhookSubscription): string | null {
  const pairs: [string, string | null, string | null][] = [
    ['event type', facts.eventType, shown.eventType],
    ['URL', facts.url, shown.url && sealUrlMacs(shown.url)],
    ['scope', facts.scope, shown.scope?.toLowerCase() ?? null],
    ['till', facts.scopeReference, shown.scopeReference || null],
  ];
  const wrong = pairs.find(([, ours, theirs]) => theirs !== null && ours !== theirs);
  return wrong ? `the platform shows the ${wrong[0]} ${wrong[2]}` : null;
}

function isSame(one: SubscriptionFacts, other: SubscriptionFacts): boolean {
  return (
    one.eventType === other.eventType &&
    one.scope === other.scope &&
    one.scopeReference === other.scopeReference &&
    one.url === other.url &&
    one.daraja === other.daraja
  );
}
