import { Injectable } from '@nestjs/common';
import { maskPhones } from '@tillkit/payments/internal/routes';
import type { OperationRecord } from '@tillkit/payments/internal/store';
import { html, type Html, type HtmlContent } from '@tillkit/pages';
import { facts } from '../html/list.fragment.js';
import { money } from '../html/money.fragment.js';
import { state } from '../html/state.fragment.js';
import { LONG, masked, plainMasked, text } from '../html/text.fragment.js';
import { deliveriesOf } from '../payments/payment-deliveries.query.js';
import { timelineOf } from '../payments/payment-timeline.format.js';
import { review } from '../reviews/review-form.fragment.js';
import { listenerSummary } from '../timeline/listener-summary.fragment.js';
import { timeline } from '../timeline/timeline.fragment.js';
import { page, type Answer } from '../web/answer.dto.js';
import { AuditLogService } from '../web/audit-log.service.js';
import type { Visit } from '../web/visit.dto.js';
import { WORDS, type TimelineWords } from '../words/english.words.js';
import { wordFor } from '../words/word.format.js';
import { noteForm, operationActions } from './operation-actions.fragment.js';
import { named } from './operation-actions.service.js';
import { listOf, operationOf, type OperationKindName } from './operation-kinds.js';
import { operationWaiting } from './operation-waiting.fragment.js';
import { orderFacts } from './order-facts.fragment.js';
import { orderNumberOf } from './order-number.format.js';

/** The page of one kind of operation adds these parts to the common ones. */
export interface OperationParts {
  title: string;
  /** These facts stand before those that every kind has. */
  details: readonly (readonly [string, HtmlContent] | null | false)[];
  /** True when one sentence above says whether the listeners have completed. */
  saysListeners?: boolean;
  /** Links to the pages of actions. */
  links?: readonly (Html | null)[];
  /** This part stands above the timeline and the details. */
  above?: Html | null;
  /** This part stands below the details. */
  below?: Html | null;
  requestedBy?: string | null;
}

/** The page of one operation: its amount, outcome, timeline and details. */
@Injectable()
export abstract class OperationPage<O extends OperationRecord> {
  protected abstract readonly is: (operation: OperationRecord) => operation is O;

  constructor(private readonly audit: AuditLogService) {}

  async show(visit: Visit, id: string): Promise<Answer> {
    return this.pageOf(visit, await operationOf(visit, id, this.is), false);
  }

  /** Shows phone numbers in this response only. */
  async reveal(visit: Visit, id: string): Promise<Answer> {
    const operation = await operationOf(visit, id, this.is);
    this.audit.revealed(visit, named(operation));
    return this.pageOf(visit, operation, true);
  }

  protected abstract parts(
    visit: Visit,
    operation: O,
    isRevealed: boolean,
  ): Promise<OperationParts> | OperationParts;

  private async pageOf(visit: Visit, operation: O, isRevealed: boolean): Promise<Answer> {
    const { store, name } = visit.account;
    const [history, events, deliveries, waiting, parts] = await Promise.all([
      store.operations.history(name, operation.id),
      store.events.list(name, operation.id),
      deliveriesOf(visit.account, operation),
      operationWaiting(visit, operation),
      this.parts(visit, operation, isRevealed),
    ]);
    const { title, details, saysListeners, links, above, below, requestedBy = null } = parts;
    const words = ofKind(operation);
    const entries = timelineOf(visit, operation, history, events, deliveries, words).map((entry) =>
      entry.kind === 'recorded' && requestedBy !== null
        ? { ...entry, detail: `requested by ${requestedBy}` }
        : entry,
    );
    const section = listOf(operation.kind as OperationKindName);
    const body = html`<p class="crumb">
        <a href="${visit.link(section)}">${WORDS.operation.lists[section]}</a>
      </p>
      <div class="title">
        <h1>${money(operation.amount)}</h1>
        ${state(operation.state)}
      </div>
      ${outcome(operation)} ${waiting} ${saysListeners && listenerSummary(visit, events)}
      ${review(visit, operation)} ${above} ${operationActions(visit, operation, links)}
      <div class="columns">
        <section aria-labelledby="timeline">
          <h2 id="timeline">${WORDS.common.timeline}</h2>
          ${timeline(visit, operation.createdAt, entries)} ${noteForm(visit, operation)}
        </section>
        <section aria-labelledby="details">
          <h2 id="details">${WORDS.common.details}</h2>
          ${facts([...details, ...common(visit, operation, requestedBy, isRevealed)])} ${below}
          ${metadata(operation, isRevealed)}
        </section>
      </div>`;
    return page(section, title, body, { about: operation.id });
  }
}

function common(
  visit: Visit,
  operation: OperationRecord,
  requestedBy: string | null,
  isRevealed: boolean,
): OperationParts['details'] {
  const { id, platformId, idempotencyKey, approvedBy, createdAt, updatedAt } = operation;
  const { payment: names, payout } = WORDS;
  const orderNumber = isRevealed ? idempotencyKey : orderNumberOf(operation);
  return [
    [names.orderNumber, html`<span class="mono">${text(orderNumber, 400)}</span>`],
    ...orderFacts(visit, operation),
    [names.id, html`<span class="mono">${id}</span>`],
    [names.platformId, html`<span class="mono">${text(platformId ?? names.notKnownYet)}</span>`],
    requestedBy !== null && [payout.requestedBy, text(requestedBy)],
    approvedBy !== null && ['Approved by', text(approvedBy)],
    [names.recorded, visit.times.show(createdAt)],
    [names.lastChange, visit.times.show(updatedAt)],
  ];
}

/** Adapts the words of the timeline, which are written for payments, to another kind. */
function ofKind({ kind }: OperationRecord): TimelineWords {
  const { outcomesOf } = WORDS.operation;
  const { timeline: texts } = WORDS;
  if (kind === 'payment') return texts;
  const outcomes: Readonly<Partial<Record<string, object>>> = outcomesOf;
  return {
    ...texts,
    accepted: 'Accepted by the platform',
    outcomes: { ...texts.outcomes, ...outcomes[kind] },
  };
}

/** Explains a failure or a review; null for other operations. */
function outcome({ state: is, reason, cause, causeDetail, errors }: OperationRecord): Html | null {
  const sentences = [
    reason && WORDS.payment.reason(wordFor(WORDS.reasons, reason)),
    cause && WORDS.payment.cause(wordFor(WORDS.causes, cause)),
  ].filter(Boolean);
  if (sentences.length === 0 && errors.length === 0 && !causeDetail) return null;
  return html`<div class="outcome outcome--${is}">
    ${sentences.length > 0 && html`<p>${sentences.join(' ')}</p>`}
    ${causeDetail && html`<p>${masked(causeDetail, 600)}</p>`}
    ${
      errors.length > 0 &&
      html`<ul>
        ${errors.map((error) => html`<li>${masked(error, 600)}</li>`)}
      </ul>`
    }
  </div>`;
}

function metadata({ metadata: own }: OperationRecord, isRevealed: boolean): Html | null {
  const entries = Object.entries(own ?? {});
  if (entries.length === 0) return null;
  const shown = entries.map(([name, value]) => {
    const written = typeof value === 'string' ? value : JSON.stringify(value);
    return [plainMasked(name, 60), text(isRevealed ? written : maskPhones(written), LONG)] as const;
  });
  return html`<h3>${WORDS.payment.metadata}</h3>
    ${facts(shown)}`;
}
