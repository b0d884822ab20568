import type { PaymentsStore } from '@tillkit/payments';
import type { DeliveryRecord, DeliverySummary } from '@tillkit/payments/types';
import type { DeliveryState } from '@tillkit/payments/internal/store';
import { Option, type Command } from 'commander';
import { EXIT } from '../command-context.js';
import { CommandError, UsageError } from '../command.errors.js';
import {
  ofAccount,
  paged,
  pageOf,
  type AccountOptions,
  type CommonOptions,
  type Does,
  type Invocation,
  type PageOptions,
} from '../command.options.js';
import { accountTarget } from '../command-targets.js';
import type { Columns, Output } from '../output/output.js';
import { plainLines } from '../output/plain-text.js';
import { withAccountStore } from '../store-connection.js';
import { lists, shows, type ListDefinition, type ShowDefinition } from '../subject-commands.js';

type DeliveryOptions = CommonOptions & AccountOptions;

interface ListOptions extends DeliveryOptions, PageOptions {
  state?: DeliveryState;
}

interface ReplayOptions extends DeliveryOptions {
  allUnrecognised?: true;
}

const STATES = ['pending', 'done', 'unrecognised'] as const satisfies DeliveryState[];

type Listed = Omit<DeliverySummary, 'key'>;
type Shown = Omit<DeliveryRecord, 'key' | 'body'>;

const LIST: ListDefinition<Listed, ListOptions> = {
  read: (invocation, options) =>
    withAccountStore(invocation, options, async (store, account) => {
      const { state } = options;
      const filter = { ...(state && { state }) };
      const { items, next } = await store.deliveries.list(account, filter, pageOf(options));
      return { account, items: items.map(withoutKey), next };
    }),
  columns: {
    received: 'receivedAt',
    id: 'id',
    kind: nameOf,
    state: 'state',
    attempts: 'attempts',
    duplicates: 'duplicates',
    note: 'lastError',
  },
  what: ({ state }) => (state ? `${state} deliveries` : 'deliveries'),
};

const FIELDS: Columns<Shown> = {
  id: 'id',
  kind: nameOf,
  state: 'state',
  'verified by': 'verifiedBy',
  received: 'receivedAt',
  attempts: 'attempts',
  duplicates: 'duplicates',
  note: 'lastError',
};

const SHOW: ShowDefinition<Shown & { body: string }, DeliveryOptions> = {
  read: (invocation, options, id) =>
    withAccountStore(invocation, options, async (store, account) => {
      const found = await store.deliveries.find(account, id);
      if (!found) throw missing(account, id);
      return { ...withoutKey(found), body: found.body.toString('utf8') };
    }),
  parts: (delivery, output) => [
    output.fields(FIELDS, delivery),
    plainLines(output.masked(readable(delivery.body))),
  ],
};

export function define(deliveries: Command, does: Does): void {
  lists(
    paged(
      ofAccount(deliveries.command('list'))
        .description('list deliveries, newest first')
        .addOption(new Option('--state <state>', 'only these').choices(STATES)),
    ),
    does,
    LIST,
  );
  shows(
    ofAccount(deliveries.command('show').argument('<id>', 'id of the delivery')).description(
      'show a delivery and its body',
    ),
    does,
    SHOW,
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

/** The running application processes the deliveries that become pending here. It looks for such work every few seconds. */
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

/** Reads all of them first, because those that are replayed leave the list. */
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

export function nameOf(
  { kind, resource }: Pick<DeliverySummary, 'kind' | 'resource'>,
  output: Output,
): string {
  return resource === null ? output.text(kind) : `${output.text(kind)} ${output.text(resource)}`;
}

/** Removes the key, which is of no use to a person. */
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
