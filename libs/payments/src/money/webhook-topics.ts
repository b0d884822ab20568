/** A subscription covers one till, or all tills of the company. @publicApi */
export type SubscriptionScope = 'till' | 'company';

/** Money reaches a till from a customer, from another till, or from a card. */
export type TillMoneyKind = 'buygoods' | 'b2b' | 'card';

const TILL_MONEY_KINDS: readonly TillMoneyKind[] = ['buygoods', 'b2b', 'card'];

/** Words of `deliveries.acceptedStatuses`, by topic. */
export type AcceptedStatuses = Readonly<Record<string, readonly string[]>>;

interface TopicDescription {
  scopes: readonly SubscriptionScope[];
  /** Words of the resource's status that prove it. A resource without a status has none. */
  statuses: readonly string[];
  /** Transaction types of the Daraja format. Only these topics have that format. */
  daraja?: readonly string[];
}

const RECEIVED = ['Received', 'Complete'] as const;
const REVERSED = ['Reversed', 'Voided'] as const;

/** Every topic that the platform is known to send. @see docs/conformance.md#webhook-subscriptions */
const TOPICS = {
  buygoods_transaction_received: {
    scopes: ['till', 'company'],
    statuses: RECEIVED,
    daraja: ['Buygoods', 'Buy Goods', 'Pay Bill'],
  },
  buygoods_transaction_reversed: { scopes: ['till'], statuses: REVERSED },
  b2b_transaction_received: {
    scopes: ['till', 'company'],
    statuses: RECEIVED,
    daraja: ['Business Payment', 'Organization To Organization Transfer'],
  },
  b2b_transaction_reversed: { scopes: ['till'], statuses: REVERSED },
  card_transaction_received: { scopes: ['till'], statuses: RECEIVED },
  card_transaction_voided: { scopes: ['till'], statuses: REVERSED },
  card_transaction_reversed: { scopes: ['till'], statuses: REVERSED },
  customer_created: { scopes: ['company'], statuses: [] },
  settlement_transfer_completed: { scopes: ['company'], statuses: ['Transferred'] },
  m2m_transaction_received: { scopes: ['company'], statuses: RECEIVED },
} as const satisfies Record<string, TopicDescription>;

/** A topic of webhooks that this version knows. @publicApi */
export type WebhookTopic = keyof typeof TOPICS;

/**
 * The topics that this version knows. A subscription may name any other: its webhooks are kept as unrecognised.
 * @see docs/guide.md#deliveries
 * @publicApi
 */
export const WEBHOOK_TOPICS = Object.freeze(Object.keys(TOPICS)) as readonly WebhookTopic[];

/** The topics whose webhooks prove something by a status, so that the host can accept more words of it. */
export const TOPICS_WITH_STATUS = WEBHOOK_TOPICS.filter(
  (topic) => TOPICS[topic].statuses.length > 0,
);

/** The topics of which the platform has a Daraja format, with the kind of money that each reports. */
export const DARAJA_TOPICS = {
  buygoods: 'buygoods_transaction_received',
  b2b: 'b2b_transaction_received',
} as const satisfies Partial<Record<TillMoneyKind, WebhookTopic>>;

/** Topics of money at a till, also those of kinds that this version does not know. */
const TILL_TOPIC = /^(.+)_transaction_(received|reversed|voided)$/;

/** Returns what a topic of money at a till says; null for any other topic. */
export function tillTopicOf(
  topic: string,
): { kind: TillMoneyKind | null; reversal: boolean } | null {
  const [, kind, movement] = TILL_TOPIC.exec(topic) ?? [];
  if (kind === undefined || kind === 'm2m') return null;
  return { kind: isTillMoneyKind(kind) ? kind : null, reversal: movement !== 'received' };
}

/** Returns the scopes that a subscription to a topic may have. A topic that we do not know may have either. */
export function scopesOf(topic: string): readonly SubscriptionScope[] {
  return descriptionOf(topic)?.scopes ?? ['till', 'company'];
}

/**
 * True when a status proves what its topic says. A reversal may have no status.
 * @param added the words that the host accepts besides ours
 */
export function isAccepted(topic: string, status: string | null, added: AcceptedStatuses): boolean {
  if (status === null) return tillTopicOf(topic)?.reversal === true;
  return isAmong(acceptedWords(topic, added), status);
}

/** Letters may be of any case. */
function isAmong(words: readonly string[], status: string): boolean {
  return words.some((word) => word.toLowerCase() === status.toLowerCase());
}

/** Returns all words of the status of a topic that prove it: ours, and those that the host added. */
function acceptedWords(topic: string, added: AcceptedStatuses): readonly string[] {
  const unknown = tillTopicOf(topic)?.reversal ? REVERSED : RECEIVED;
  return [...(descriptionOf(topic)?.statuses ?? unknown), ...(added[topic] ?? [])];
}

/** Returns the kind of money that a Daraja webhook reports, by its transaction type; null when the type proves no money. */
export function darajaKindOf(
  type: string | null,
  added: AcceptedStatuses,
): 'buygoods' | 'b2b' | null {
  for (const kind of ['buygoods', 'b2b'] as const) {
    const topic = DARAJA_TOPICS[kind];
    const types: readonly string[] = [...TOPICS[topic].daraja, ...(added[topic] ?? [])];
    if (type !== null && types.includes(type)) return kind;
  }
  return null;
}

/**
 * Returns what the status of a transaction at a till proves: the money came, it went back, or nothing. The words are those of the topics of
 * its kind, so that a read accepts what a webhook accepts. When the kind is not known, the words of all kinds count, because no type of
 * card money is published.
 */
export function tillMovementOf(
  { kind, status }: { kind: TillMoneyKind | null; status: string | null },
  added: AcceptedStatuses,
): 'received' | 'reversed' | null {
  if (status === null) return null;
  const isReceived = isAmong(wordsOf(kind, ['received'], added), status);
  const isReversed = isAmong(wordsOf(kind, ['reversed', 'voided'], added), status);
  if (isReceived === isReversed) return null;
  return isReceived ? 'received' : 'reversed';
}

/** Returns the accepted words that mean both that the money of a kind came and that it went back. */
export function contradictoryWords(added: AcceptedStatuses): { topic: string; word: string }[] {
  return TILL_MONEY_KINDS.flatMap((kind) => {
    const reversed = wordsOf(kind, ['reversed', 'voided'], added);
    const topic = `${kind}_transaction_received`;
    return acceptedWords(topic, added)
      .filter((word) => isAmong(reversed, word))
      .map((word) => ({ topic, word }));
  });
}

function wordsOf(
  kind: TillMoneyKind | null,
  movements: readonly string[],
  added: AcceptedStatuses,
): readonly string[] {
  const kinds = kind === null ? TILL_MONEY_KINDS : [kind];
  return kinds.flatMap((each) =>
    movements.flatMap((movement) => acceptedWords(`${each}_transaction_${movement}`, added)),
  );
}

function isTillMoneyKind(kind: string): kind is TillMoneyKind {
  return (TILL_MONEY_KINDS as readonly string[]).includes(kind);
}

function descriptionOf(topic: string): TopicDescription | undefined {
  return Object.hasOwn(TOPICS, topic) ? TOPICS[topic as WebhookTopic] : undefined;
}
