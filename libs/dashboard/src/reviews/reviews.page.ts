import { Injectable } from '@nestjs/common';
import { PaymentsValidationError, ReviewsService } from '@tillkit/payments';
import { REVIEW_CAUSES } from '@tillkit/payments/internal/store';
import type {
  DecidedReviews,
  ReviewsDecision,
  ReviewSelection,
  WaitingReviews,
} from '@tillkit/payments/types';
import { html, type Html } from '@tillkit/pages';
import { problemBox } from '../actions/action-problem.format.js';
import { form, hidden, readForm, type FormField } from '../actions/form.fragment.js';
import { readOnly } from '../actions/read-only.fragment.js';
import { inAccount } from '../html/account.fragment.js';
import { facts, table } from '../html/list.fragment.js';
import { money } from '../html/money.fragment.js';
import { count as shownCount } from '../html/number.format.js';
import { masked } from '../html/text.fragment.js';
import { KINDS, listOf, pathOf, type OperationKindName } from '../operations/operation-kinds.js';
import { page, redirect, type Answer } from '../web/answer.dto.js';
import { AuditLogService } from '../web/audit-log.service.js';
import { PageError } from '../web/page.errors.js';
import type { Visit } from '../web/visit.dto.js';
import { WORDS } from '../words/english.words.js';

const NOTE: FormField = { name: 'note', label: 'Reason for the decision' };

type Group = Required<Pick<ReviewSelection, 'kind' | 'cause'>> & { before: Date };

/** The operations that wait for a person's decision, by kind and cause, and the form that decides all of one cause at once. */
@Injectable()
export class ReviewsPage {
  constructor(private readonly audit: AuditLogService) {}

  async show(visit: Visit): Promise<Answer> {
    const { reviews: words } = WORDS;
    const groups = await visit.account.get(ReviewsService).waiting();
    const body = html`<h1>${words.title}</h1>
      <p class="soft">${words.intro}</p>
      ${groups.length === 0 ? html`<p>${words.none}</p>` : groupsTable(visit, groups)}
      ${groups.length > 0 && !visit.mayAct && readOnly()}`;
    return page('overview', words.title, body);
  }

  async form(visit: Visit): Promise<Answer> {
    return this.formOf(visit, groupIn(visit, visit.query), null);
  }

  /** Decides the operations that the form showed. When another number waits now, it decides nothing. */
  async decide(visit: Visit): Promise<Answer> {
    const group = groupIn(visit, visit.form);
    const state = visit.field('state');
    const { values, isUsable } = readForm([NOTE], visit.form);
    const isState = (text: string | undefined): text is ReviewsDecision['state'] =>
      text === 'failed' || text === 'succeeded';
    if (!isState(state) || !isUsable) return this.formOf(visit, group, WORDS.reviews.choose);
    const count = Number(visit.field('count'));
    const decision = { state, note: values['note'] ?? '', by: visit.operator, count };
    try {
      const result = await visit.account.get(ReviewsService).resolve(group, decision);
      const what = `${result.decided.length} reviews (${group.kind}, ${group.cause})`;
      this.audit.changed(visit, `resolved ${what} as ${state}: ${result.decided.join(', ')}`);
      if (result.refused.length > 0) return refusedPage(visit, group.kind, result);
      return redirect(visit.link('reviews', { notice: 'reviews-resolved' }));
    } catch (error) {
      if (!(error instanceof PaymentsValidationError)) throw error;
      return this.formOf(visit, group, error.message);
    }
  }

  private async formOf(visit: Visit, group: Group, problem: string | null): Promise<Answer> {
    const { reviews: words, causes } = WORDS;
    const found = await visit.account.get(ReviewsService).waiting(group);
    const count = found.reduce((sum, one) => sum + one.count, 0);
    const before = visit.times.toField(group.before);
    const body = html`<p class="crumb"><a href="${visit.link('reviews')}">${words.title}</a></p>
      <h1>${words.decide}</h1>
      ${problemBox(problem === null ? null : html`${problem}`)}
      ${facts([
        [words.columns.kind, words.kinds[group.kind]],
        [words.columns.cause, causes[group.cause]],
        [words.columns.count, shownCount(count)],
        ...found.map(({ sum }) => [words.columns.sum, money(sum)] as const),
      ])}
      <form class="filter filter--line" method="get" action="${visit.link('reviews/decide')}">
        ${hidden({ kind: group.kind, cause: group.cause })}
        <div class="field">
          <label for="before">${words.before}</label>
          <input id="before" name="before" type="datetime-local" value="${before}" required />
        </div>
        <button class="small">${words.narrow}</button> ${inAccount(visit)}
      </form>
      ${count === 0 ? html`<p>${words.none}</p>` : decisionForm(visit, group, count)}
      <p><a href="${visit.link('reviews')}">${WORDS.actions.leave}</a></p>`;
    return page('overview', words.decide, body, { status: problem ? 409 : 200, isForm: true });
  }
}

function decisionForm(visit: Visit, { kind, cause, before }: Group, count: number): Html {
  const { reviews: words } = WORDS;
  return form(visit, {
    action: visit.link('reviews/decide'),
    look: 'review',
    choices: [
      {
        legend: 'Outcome',
        name: 'state',
        type: 'radio',
        choices: Object.entries(words.bulkOutcomes),
      },
    ],
    fields: [NOTE],
    repeated: { kind, cause, before: visit.times.toField(before), count: String(count) },
    intro: words.lastStep(count),
    button: { label: words.save },
  });
}

function groupsTable(visit: Visit, groups: readonly WaitingReviews[]): Html {
  const { columns, kinds, decideAll } = WORDS.reviews;
  const rows = groups.map(({ kind, cause, count, sum, since }) => {
    const list = visit.link(listOf(kind), { state: 'needs_review', cause });
    return [
      html`<a href="${list}">${kinds[kind]}</a>`,
      WORDS.causes[cause],
      shownCount(count),
      money(sum),
      visit.times.show(since),
      ...(visit.mayAct
        ? [html`<a href="${visit.link('reviews/decide', { kind, cause })}">${decideAll}</a>`]
        : []),
    ];
  });
  return table(
    WORDS.reviews.title,
    [
      { name: columns.kind },
      { name: columns.cause },
      { name: columns.count, isNumber: true },
      { name: columns.sum, isNumber: true },
      { name: columns.since },
      ...(visit.mayAct ? [{ name: 'Action' }] : []),
    ],
    rows,
  );
}

function refusedPage(
  visit: Visit,
  kind: OperationKindName,
  { decided, refused }: DecidedReviews,
): Answer {
  const { reviews: words } = WORDS;
  const rows = refused.map(({ id, why }) => [
    html`<a class="mono" href="${visit.link(pathOf({ kind, id }))}">${id}</a>`,
    masked(why, 600),
  ]);
  const body = html`<p class="crumb"><a href="${visit.link('reviews')}">${words.title}</a></p>
    <h1>${words.done(decided.length)}</h1>
    <p>${words.refused}</p>
    ${table(words.refused, [{ name: 'Id' }, { name: 'Why' }], rows)}`;
  return page('overview', words.decide, body);
}

/** @throws PageError 400 when the fields name no kind and cause, or no time */
function groupIn(visit: Visit, fields: URLSearchParams): Group {
  const kind = KINDS.find((name) => name === fields.get('kind'));
  const cause = REVIEW_CAUSES.find((name) => name === fields.get('cause'));
  const text = fields.get('before');
  // The fields have no seconds. The end of this minute is later than everything that waits.
  const before = text === null ? new Date(Date.now() + 60_000) : visit.times.fromField(text);
  if (!kind || !cause || !before) throw new PageError(400, WORDS.errors.reviews);
  return { kind, cause, before };
}
