import {
  PaymentsConfigurationError,
  PaymentsError,
  PlatformRejectedError,
  WebhookSubscriptionsService,
  type CreateWebhookSubscriptionDto,
} from '@tillkit/payments';
import type { PaymentsSettings } from '@tillkit/payments/internal/tools';
import type { Command } from 'commander';
import { shownAccount } from '../account-names.js';
import { withoutDatabase } from '../account-context.js';
import { EXIT } from '../command-context.js';
import { CommandError } from '../command.errors.js';
import {
  withCredentials,
  type AccountOptions,
  type CommonOptions,
  type Does,
  type Invocation,
} from '../command.options.js';
import { examinedAccount, type ExaminedAccount } from '../examined-account.js';
import { readNamedFile } from '../input.reader.js';
import type { Columns, Output } from '../output/output.js';
import { CreatedSubscriptions } from '../subscriptions/created-subscriptions.js';
import { readDeclared } from '../subscriptions/declared-subscriptions.js';
import {
  factsOf,
  planOf,
  type PlannedSubscription,
  type Recorded,
} from '../subscriptions/subscription-plan.js';

interface SubscriptionOptions extends CommonOptions, AccountOptions {
  created?: string;
}

interface Outcome extends PlannedSubscription {
  result: 'created' | 'failed' | 'unchanged';
}

/** A plan, and the objects that carry it out. */
interface Situation {
  plan: readonly PlannedSubscription[];
  declared: readonly CreateWebhookSubscriptionDto[];
  subscriptions: WebhookSubscriptionsService;
  created: CreatedSubscriptions;
  /** Ids of recorded subscriptions that the platform does not have any more. */
  goneIds: ReadonlySet<string>;
  account: string;
  platform: string;
}

export function define(subscriptions: Command, does: Does): void {
  const command = (name: 'plan' | 'apply'): Command =>
    withCredentials(
      subscriptions
        .command(name)
        .argument('<declared>', 'a JSON file: [{ "eventType", "scope", "scopeReference" }]')
        .option('--account <name>', 'the account; other than "default" it needs --source')
        .option(
          '--created <file>',
          'what was created, because the platform lists no subscriptions (default: <declared>.created.json)',
        ),
    );
  does.reads(
    command('plan').description(
      'say what apply would do, and change nothing; exits with 1 if there is something to do',
    ),
    runPlan,
  );
  does.changes(
    command('apply').description('create the subscriptions that are missing'),
    targetOf,
    runApply,
  );
}

/** This needs no database, because it changes only what the platform has. */
async function targetOf(
  { environment }: Invocation,
  options: SubscriptionOptions,
): Promise<string> {
  const { name, settings } = await usableAccount(options, environment);
  return `webhook subscriptions of ${shownAccount(name)} at ${settings.baseUrl}`;
}

async function usableAccount(
  options: SubscriptionOptions,
  environment: NodeJS.ProcessEnv,
): Promise<ExaminedAccount & { settings: PaymentsSettings }> {
  const examined = await examinedAccount(options, environment);
  const { settings, problems } = examined;
  if (!settings) throw new PaymentsConfigurationError(problems);
  return { ...examined, settings };
}

function runPlan(
  invocation: Invocation,
  options: SubscriptionOptions,
  path?: string,
): Promise<number> {
  const { output } = invocation;
  return inSituation(invocation, options, path as string, ({ plan, account }) => {
    output.result({ account, plan }, () => planText(plan, output));
    return Promise.resolve(plan.every(({ action }) => action === 'keep') ? EXIT.ok : EXIT.found);
  });
}

function runApply(
  invocation: Invocation,
  options: SubscriptionOptions,
  path?: string,
): Promise<number> {
  const { output } = invocation;
  return inSituation(invocation, options, path as string, async (situation) => {
    await situation.created.remove(situation.goneIds);
    if (situation.plan.some(({ action }) => action === 'create'))
      await situation.created.requireWritable();
    const outcomes: Outcome[] = [];
    await output.each([...situation.plan.entries()], 'subscribing', async ([at, planned]) => {
      outcomes.push(await carriedOut(planned, situation.declared[at], situation));
    });
    output.result({ account: situation.account, subscriptions: outcomes }, () =>
      planText(outcomes, output),
    );
    return outcomes.some(({ result }) => result === 'failed') ? EXIT.found : EXIT.ok;
  });
}

async function carriedOut(
  planned: PlannedSubscription,
  declared: CreateWebhookSubscriptionDto | undefined,
  { subscriptions, created, account, platform }: Situation,
): Promise<Outcome> {
  if (planned.action !== 'create' || !declared) return { ...planned, result: 'unchanged' };
  try {
    const { id } = await subscriptions.create(declared);
    const { action: _action, why: _why, ...facts } = planned;
    const createdAt = new Date().toISOString();
    await kept(created.add({ ...facts, id, account, platform, createdAt }), id);
    return { ...planned, id, result: 'created' };
  } catch (error) {
    if (!(error instanceof PaymentsError)) throw error;
    // This is right after an unknown outcome too. A second subscription does no harm, because its money emits one event.
    return { ...planned, result: 'failed', why: `${error.message} Run apply again.` };
  }
}

/** The file was writable a moment ago. If it is not any more, a person must keep the id. */
async function kept(saved: Promise<void>, id: string): Promise<void> {
  try {
    await saved;
  } catch (error) {
    throw new CommandError(
      `subscription ${id} was created, and is not in the file: ${(error as Error).message} Then add it there by hand, else apply creates a second one.`,
    );
  }
}

/** Reads both files, and each created subscription from the platform. */
async function inSituation(
  { environment, output }: Invocation,
  options: SubscriptionOptions,
  path: string,
  work: (situation: Situation) => Promise<number>,
): Promise<number> {
  const declared = readDeclared((await readNamedFile(path)).toString('utf8'), path);
  const examined = await usableAccount(options, environment);
  const { name: account, settings } = examined;
  const created = await CreatedSubscriptions.read(
    options.created ?? path.replace(/(\.json)?$/, '.created.json'),
  );
  return withoutDatabase(examined, environment, async (own) => {
    const subscriptions = own.get(WebhookSubscriptionsService);
    const recorded: Recorded[] = [];
    const earlier = created.list(account, settings.baseUrl);
    await output.each(earlier, 'reading subscriptions', async (one) => {
      recorded.push({ created: one, shown: await shownOf(subscriptions, one.id) });
    });
    const facts = declared.map((one) => factsOf(one, subscriptions.webhookUrl()));
    return work({
      plan: planOf(facts, recorded),
      declared,
      subscriptions,
      created,
      goneIds: new Set(recorded.filter(({ shown }) => !shown).map(({ created: { id } }) => id)),
      account,
      platform: settings.baseUrl,
    });
  });
}

async function shownOf(
  subscriptions: WebhookSubscriptionsService,
  id: string,
): Promise<Recorded['shown']> {
  try {
    return await subscriptions.get(id);
  } catch (error) {
    if (error instanceof PlatformRejectedError && error.status === 404) return null;
    throw error;
  }
}

function planText(plan: readonly (PlannedSubscription | Outcome)[], output: Output): string {
  if (plan.length === 0) return 'No subscription is declared, and none was created.';
  const { green, yellow, red, dim } = output.colors;
  const paints = { keep: dim, create: green, differs: yellow, remove: yellow };
  const columns: Columns<PlannedSubscription | Outcome> = {
    action: (one) => {
      const result = 'result' in one && one.result !== 'unchanged' ? one.result : one.action;
      return (result === 'failed' ? red : paints[one.action])(result);
    },
    'event type': 'eventType',
    scope: 'scope',
    till: ({ scopeReference }) => output.id(scopeReference),
    id: 'id',
    note: 'why',
  };
  return output.table(columns, plan);
}
