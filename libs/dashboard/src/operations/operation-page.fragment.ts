import type { OperationRecord } from '@tillkit/payments/internal/store';
import { html, type Html, type HtmlContent } from '@tillkit/pages';
import { facts } from '../html/list.fragment.js';
import { money } from '../html/money.fragment.js';
import { state } from '../html/state.fragment.js';
import { LONG, masked, plainMasked, text } from '../html/text.fragment.js';
import { timeline } from '../timeline/timeline.fragment.js';
import { deliveriesOf } from '../payments/payment-deliveries.query.js';
import { timelineOf } from '../payments/payment-timeline.format.js';
import { page, type Answer } from '../web/answer.dto.js';
import type { Visit } from '../web/visit.dto.js';
import { WORDS, type TimelineWords } from '../words/english.words.js';
import { wordFor } from '../words/word.format.js';
import { noteForm, operationActions } from './operation-actions.fragment.js';
import type { OperationKindName } from './operation-kinds.js';
import { operationWaiting } from './operation-waiting.fragment.js';
import { review } from '../reviews/review-form.fragment.js';
import { orderFacts } from './order-facts.fragment.js';
import { orderNumberOf } from './order-number.format.js';

/** What the page of one kind of operation adds to what all have. */
export interface OperationPageParts {
  section: 'payouts' | 'refunds' | 'payment-links';
  /** Title of the list. */
  list: string;
  title: string;
  /** Facts before those of every kind. */
  details: readonly (readonly [string, HtmlContent] | null | false)[];
  /** Links to the pages of actions. */
  links?: readonly (Html | null)[];
  /** Above the timeline and the details. */
  above?: Html | null;
  requestedBy: string | null;
}

/** The page of a payout, refund or payment link. */
export async function operationPage(
  visit: Visit,
  operation: OperationRecord,
  { section, list, title, details, links = [], above = null, requestedBy }: OperationPageParts,
): Promise<Answer> {
  const { store, name } = visit.account;
  const [history, events, deliveries, waiting] = await Promise.all([
    store.operations.history(name, operation.id),
    store.events.list(name, operation.id),
    deliveriesOf(visit.account, operation),
    operationWaiting(visit, operation),
  ]);
  const entries = timelineOf(visit, operation, history, events, deliveries, ofKind(operation)).map(
    (entry) =>
      entry.kind === 'recorded' && requestedBy !== null
        ? { ...entry, detail: `requested by ${requestedBy}` }
        : entry,
  );
  const body = html`<p class="crumb"><a href="${visit.link(section)}">${list}</a></p>
    <div class="title">
      <h1>${money(operation.amount)}</h1>
      ${state(operation.state)}
    </div>
    ${outcome(operation)} ${waiting} ${review(visit, operation)} ${above}
    ${operationActions(visit, operation, links)}
    <div class="columns">
      <section aria-labelledby="timeline">
        <h2 id="timeline">${WORDS.common.timeline}</h2>
        ${timeline(visit, operation.createdAt, entries)} ${noteForm(visit, operation)}
      </section>
      <section aria-labelledby="details">
        <h2 id="details">${WORDS.common.details}</h2>
        ${facts([...details, ...common(visit, operation, requestedBy)])} ${metadata(operation)}
      </section>
    </div>`;
  return page(section, title, body);
}

function common(
  visit: Visit,
  operation: OperationRecord,
  requestedBy: string | null,
): OperationPageParts['details'] {
  const { id, platformId, approvedBy, createdAt, updatedAt } = operation;
  const { payment: names, payout } = WORDS;
  return [
    [names.orderNumber, html`<span class="mono">${text(orderNumberOf(operation), 400)}</span>`],
    ...orderFacts(visit, operation),
    [names.id, html`<span class="mono">${id}</span>`],
    [names.platformId, html`<span class="mono">${text(platformId ?? names.notKnownYet)}</span>`],
    requestedBy !== null && [payout.requestedBy, text(requestedBy)],
    approvedBy !== null && ['Approved by', text(approvedBy)],
    [names.recorded, visit.times.show(createdAt)],
    [names.lastChange, visit.times.show(updatedAt)],
  ];
}

/** The words of the timeline, which are those of payments, for another kind. */
function ofKind({ kind }: OperationRecord): TimelineWords {
  const { outcomesOf } = WORDS.operation;
  const outcomes: Readonly<Partial<Record<string, object>>> = outcomesOf;
  const own = outcomes[kind as OperationKindName];
  const { timeline: texts } = WORDS;
  return {
    ...texts,
    accepted: 'Accepted by the platform',
    outcomes: { ...texts.outcomes, ...own },
  };
}

/** Why it failed or needs review; null for others. */
function outcome({ state: is, reason, cause, causeDetail, errors }: OperationRecord): Html | null {
  const sentences = [
    reason && WORDS.payment.reason(wordFor(WORDS.reasons, reason)),
    cause && WORDS.payment.cause(wordFor(WORDS.causes, cause)),
  ].filter(Boolean);
  const said = [...(causeDetail ? [causeDetail] : []), ...errors];
  if (sentences.length === 0 && said.length === 0) return null;
  return html`<div class="outcome outcome--${is}">
    ${sentences.length > 0 && html`<p>${sentences.join(' ')}</p>`}
    ${said.map((error) => html`<p>${masked(error, 600)}</p>`)}
  </div>`;
}

function metadata(operation: OperationRecord): Html | null {
  const entries = Object.entries(operation.metadata ?? {});
  if (entries.length === 0) return null;
  const shown = entries.map(([name, value]) => {
    const written = typeof value === 'string' ? value : JSON.stringify(value);
    return [plainMasked(name, 60), masked(written, LONG)] as const;
  });
  return html`<h3>${WORDS.payment.metadata}</h3>
    ${facts(shown)}`;
}
