import type { PaymentsStore } from '@tillkit/payments';
import type { DeliverySummary } from '@tillkit/payments/types';
import type { DeliveryState } from '@tillkit/payments/internal/store';
import { Option, type Command } from 'commander';
import { EXIT } from '../command-context.js';
import { CommandError, UsageError } from '../command.errors.js';
import {
  ofAccount,
  type AccountOptions,
  type CommonOptions,
  type Does,
  type Invocation,
} from '../command.options.js';
import { accountTarget } from '../command-targets.js';
import { wholeNumber } from '../option-readers.js';
import type { Output } from '../output/output.js';
import { plainLines } from '../output/plain-text.js';
import { withAccountStore } from '../store-connection.js';

type DeliveryOptions = CommonOptions & AccountOptions;

interface ListOptions extends DeliveryOptions {
  state?: DeliveryState;
  limit: number;
  after?: string;
}

interface ReplayOptions extends DeliveryOptions {
  allUnrecognised?: true;
}

const STATES = ['pending', 'done', 'unrecognised'] as const satisfies DeliveryState[];

const COLUMNS = ['received', 'id', 'kind', 'state', 'attempts', 'duplicates', 'note'] as const;

export function addDeliveries(root: Command, does: Does): void {
  const deliveries = root
    .command('deliveries')
    .description('list, show and reprocess what the platform has posted');
  does.reads(
    ofAccount(deliveries.command('list'))
      .description('list deliveries, newest first')
      .addOption(new Option('--state <state>', 'only these').choices(STATES))
      .addOption(wholeNumber('--limit <count>', 'how many', { least: 1, most: 200, default: 50 }))
      .option('--after <cursor>', '`next` of the page before'),
    runList,
  );
  does.reads(
    ofAccount(deliveries.command('show').argument('<id>', 'id of the delivery')).description(
      'show a delivery and its body',
    ),
    runShow,
  );
  does.changes(
    ofAccount(deliveries.command('replay').argument('[id]', 'id of the delivery'))
      .description(
        'process a delivery again: nothing is changed twice, and no event is emitted twice',
      )
      .option('--all-unrecognised', 'all that are unrecognised, for example after an upgrade'),
    (invocation, options, id?: string) => {
      if ((id === undefined) === (options.allUnrecognised === undefined))
        throw new UsageError('name one delivery by its id, or all with --all-unrecognised.');
      return accountTarget(invocation, options);
    },
    runReplay,
  );
}

function runList(invocation: Invocation, options: ListOptions): Promise<void> {
  const { output } = invocation;
  const { state, limit, after } = options;
  return withAccountStore(invocation, options, async (store, account) => {
    const page = { limit, ...(after !== undefined && { after }) };
    const { items, next } = await store.deliveries.list(account, { ...(state && { state }) }, page);
    output.result({ account, items: items.map(withoutKey), next }, () =>
      items.length === 0
        ? `Account "${output.text(account)}" has no ${state ? `${state} ` : ''}deliveries.`
        : output.table(
            COLUMNS,
            items.map((item) => rowOf(item, output)),
          ),
    );
    if (next !== null && !output.isJson) output.note(`There are more: --after ${next}`);
  });
}

function runShow(invocation: Invocation, options: DeliveryOptions, id?: string): Promise<void> {
  const { output } = invocation;
  return withAccountStore(invocation, options, async (store, account) => {
    const found = await store.deliveries.find(account, id as string);
    if (!found) throw missing(account, id as string);
    const { body, ...rest } = found;
    const text = body.toString('utf8');
    output.result({ ...withoutKey(rest), body: text }, () =>
      [
        output.fields([
          ['id', output.id(found.id)],
          ['kind', nameOf(found, output)],
          ['state', output.text(found.state)],
          ['verified by', output.text(found.verifiedBy)],
          ['received', output.text(found.receivedAt)],
          ['attempts', output.text(found.attempts)],
          ['duplicates', output.text(found.duplicates)],
          ['note', output.text(found.lastError)],
        ]),
        '',
        plainLines(output.masked(readable(text))),
      ].join('\n'),
    );
  });
}

/** The application that runs processes what is made pending here: it looks for such work every few seconds. */
function runReplay(invocation: Invocation, options: ReplayOptions, id?: string): Promise<number> {
  const { output } = invocation;
  return withAccountStore(invocation, options, async (store, account) => {
    const ids = id === undefined ? await unrecognised(store, account) : [id];
    const replayed: string[] = [];
    await output.each(ids, 'replaying deliveries', async (each) => {
      if (await store.deliveries.reprocess(account, each)) replayed.push(each);
    });
    if (id !== undefined && replayed.length === 0) {
      if (!(await store.deliveries.find(account, id))) throw missing(account, id);
      throw new CommandError(`delivery ${id} is pending: the application will process it.`);
    }
    output.result({ account, replayed }, () =>
      replayed.length === 0
        ? 'No delivery is unrecognised.'
        : `${replayed.length} ${replayed.length === 1 ? 'delivery is' : 'deliveries are'} pending again. The application processes them within seconds.`,
    );
    return EXIT.ok;
  });
}

/** All of them first: those that are replayed leave the list. */
async function unrecognised(store: PaymentsStore, account: string): Promise<string[]> {
  const ids: string[] = [];
  for (let after: string | null | undefined; after !== null;) {
    const page = { limit: 200, ...(after && { after }) };
    const { items, next } = await store.deliveries.list(account, { state: 'unrecognised' }, page);
    ids.push(...items.map((item) => item.id));
    after = next;
  }
  return ids;
}

function missing(account: string, id: string): CommandError {
  return new CommandError(
    `account "${account}" has no delivery ${id}: tillkit deliveries list shows those that are kept.`,
  );
}

function rowOf(delivery: DeliverySummary, output: Output): string[] {
  return [
    output.text(delivery.receivedAt),
    output.id(delivery.id),
    nameOf(delivery, output),
    output.text(delivery.state),
    output.text(delivery.attempts),
    output.text(delivery.duplicates),
    output.text(delivery.lastError),
  ];
}

export function nameOf(
  { kind, resource }: Pick<DeliverySummary, 'kind' | 'resource'>,
  output: Output,
): string {
  return resource === null ? output.text(kind) : `${output.text(kind)} ${output.text(resource)}`;
}

/** The key is of no use to a person. */
export function withoutKey<T extends { key: string }>({ key: _key, ...shown }: T): Omit<T, 'key'> {
  return shown;
}

function readable(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
