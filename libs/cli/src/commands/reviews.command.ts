import { ReviewsService } from '@tillkit/payments';
import { REVIEW_CAUSES, waitingReviews } from '@tillkit/payments/internal/store';
import type { ReviewsDecision, ReviewSelection, WaitingReviews } from '@tillkit/payments/types';
import { Option, type Command } from 'commander';
import { withAccount } from '../account-context.js';
import { EXIT } from '../command-context.js';
import { CommandError } from '../command.errors.js';
import {
  ofAccount,
  ofPerson,
  withCredentials,
  type AccountOptions,
  type CommonOptions,
  type Does,
  type Invocation,
} from '../command.options.js';
import { accountTarget } from '../command-targets.js';
import { time, TIME_FORMAT } from '../option-readers.js';
import { withAccountStore } from '../store-connection.js';
import { lists, type ListDefinition } from '../subject-commands.js';

type ReviewOptions = CommonOptions & AccountOptions & ReviewSelection;

interface ResolveOptions extends ReviewOptions, Pick<ReviewsDecision, 'by' | 'note'> {
  cause: NonNullable<ReviewSelection['cause']>;
  before: Date;
  as: ReviewsDecision['state'];
  /** The number of reviews that the person saw. No more are decided. */
  shown?: number;
}

const LIST: ListDefinition<WaitingReviews, ReviewOptions> = {
  read: (invocation, options) =>
    withAccountStore(invocation, options, async (store, account) => ({
      account,
      items: await waitingReviews(store.operations, account, options),
    })),
  columns: {
    kind: 'kind',
    cause: 'cause',
    count: 'count',
    sum: ({ sum }, output) => output.text(shown(sum)),
    since: 'since',
  },
  what: () => 'such reviews',
};

export function define(reviews: Command, does: Does): void {
  const selecting = (command: Command): Command =>
    ofAccount(command).addOption(
      new Option('--kind <kind>', 'only these').choices([
        'payment',
        'payout',
        'refund',
        'payment_link',
      ]),
    );
  const cause = (): Option => new Option('--cause <cause>', 'of this cause').choices(REVIEW_CAUSES);
  const before = (): Option => time('--before <time>', `recorded before this time, ${TIME_FORMAT}`);
  lists(
    selecting(reviews.command('list'))
      .description('count them by kind and cause, with their sums and since when')
      .addOption(cause())
      .addOption(before()),
    does,
    LIST,
  );
  // One command line never decides more than the person saw, so it must name the cause and the time.
  does.changes(
    ofPerson(withCredentials(selecting(reviews.command('resolve'))))
      .description('decide them, each by itself; those that cannot be decided so are named')
      .addOption(cause().makeOptionMandatory())
      .addOption(before().makeOptionMandatory())
      .addOption(
        new Option('--as <state>', 'what became of them')
          .choices(['failed', 'succeeded'])
          .makeOptionMandatory(),
      ),
    targetOf,
    runResolve,
  );
}

async function targetOf(invocation: Invocation, options: ResolveOptions): Promise<string> {
  const found = await withAccountStore(invocation, options, (store, account) =>
    waitingReviews(store.operations, account, selectionOf(options)),
  );
  options.shown = found.reduce((sum, { count }) => sum + count, 0);
  if (options.shown === 0) throw new CommandError('there are no such reviews.');
  const named = found.map(({ kind, count, sum }) => `${count} ${kind} (${shown(sum)})`);
  const where = await accountTarget(invocation, options);
  return `reviews to ${options.as}: ${named.join(', ')}, ${where}`;
}

async function runResolve(invocation: Invocation, options: ResolveOptions): Promise<number> {
  const { output } = invocation;
  const { as: state, by, note, shown: all = 0 } = options;
  return withAccount(invocation, options, async (account) => {
    const decision = { state, by, note, count: all };
    const { decided, refused } = await account
      .get(ReviewsService)
      .resolve(selectionOf(options), decision);
    output.result({ account: account.name, decided, refused }, () =>
      [
        `${decided.length} of ${all} are ${state}.`,
        ...refused.map(({ id, why }) => `${output.id(id)}: ${output.text(why)}`),
      ].join('\n'),
    );
    return refused.length > 0 ? EXIT.found : EXIT.ok;
  });
}

function selectionOf({ cause, before, kind }: ResolveOptions): ReviewSelection {
  return { cause, before, ...(kind && { kind }) };
}

function shown({ currency, value }: WaitingReviews['sum']): string {
  return `${currency} ${value}`;
}
