import { Module, type DynamicModule, type INestApplicationContext } from '@nestjs/common';
import { ConfigService } from '@nestjs/config';
import { NestFactory } from '@nestjs/core';
import {
  MemoryStore,
  PaymentsAccount,
  PaymentsAccounts,
  PaymentsModule,
  PaymentsStore,
  type AddedAccountOptions,
} from '@tillkit/payments';
import {
  DEFAULT_ACCOUNT,
  pathOf as pathOfRoutes,
  resolveSettings,
} from '@tillkit/payments/internal/tools';
import { readSource } from './account-source.js';
import { CommandError, UsageError } from './command.errors.js';
import type { AccountOptions, Invocation } from './command.options.js';
import { withAccountStore } from './store-connection.js';

/** Runs work for the account of a command, with the credentials of `PAYMENTS_*` or of `--source`. */
export async function withAccount<T>(
  invocation: Invocation,
  options: AccountOptions,
  work: (account: PaymentsAccount) => Promise<T>,
): Promise<T> {
  const { environment } = invocation;
  const load = options.source === undefined ? null : await readSource(options.source);
  return withAccountStore(invocation, options, async (store, name) => {
    const path = pathOf(options, environment);
    if (!load) {
      if (name !== DEFAULT_ACCOUNT) throw withoutCredentials(name);
      return withDefaultAccount({ store, environment, path }, (context) =>
        work(context.get(PaymentsAccount)),
      );
    }
    const loaded = await load(name);
    if (!loaded)
      throw new CommandError(`account "${name}": the --source returned no options for it.`);
    return withAccounts({ store, environment, path }, async (accounts) =>
      work(await accounts.add(name, loaded)),
    );
  });
}

/** Returns the path of the routes: with `--prefix`, because a command has no HTTP server that knows the prefix. */
export function pathOf(
  { prefix = '' }: Pick<AccountOptions, 'prefix'>,
  environment: NodeJS.ProcessEnv,
): string {
  return [prefix, pathOfRoutes({}, (name) => environment[name])]
    .map((part) => part.replace(/^\/+|\/+$/g, ''))
    .filter((part) => part !== '')
    .join('/');
}

interface Surroundings {
  store: PaymentsStore;
  environment: NodeJS.ProcessEnv;
  path?: string;
}

/** Runs work with the account of `PAYMENTS_*`. Reads its settings first, because an application that does not start cannot be closed. */
export async function withDefaultAccount<T>(
  { store, environment, path }: Surroundings,
  work: (context: INestApplicationContext) => Promise<T>,
): Promise<T> {
  resolveSettings({}, (name) => environment[name], path, Object.keys(environment));
  const options = { background: false, reconciliation: false, ...(path && { path }) } as const;
  return inContext([providing(store, environment), PaymentsModule.forRoot(options)], work);
}

/** Runs work with the account but without its database, for commands that only ask the platform. */
export function withoutDatabase<T>(
  { name, added, path }: { name: string; added: AddedAccountOptions | null; path: string },
  environment: NodeJS.ProcessEnv,
  work: (account: PaymentsAccount) => Promise<T>,
): Promise<T> {
  const surroundings = { store: new MemoryStore(), environment, path };
  return added
    ? withAccounts(surroundings, async (accounts) => work(await accounts.add(name, added)))
    : withDefaultAccount(surroundings, (context) => work(context.get(PaymentsAccount)));
}

/** Runs work for accounts that are added, without the settings of any. */
export function withAccounts<T>(
  { store, environment, path }: Surroundings,
  work: (accounts: PaymentsAccounts) => Promise<T>,
): Promise<T> {
  const module = PaymentsModule.forAccounts({ background: false, ...(path && { path }) });
  return inContext([providing(store, environment), module], (context) =>
    work(context.get(PaymentsAccounts)),
  );
}

export function withoutCredentials(account: string): UsageError {
  return new UsageError(
    `nobody gives the credentials of account "${account}", because PAYMENTS_* are those of account "${DEFAULT_ACCOUNT}": add ` +
      '--source <module>, with the path of a JavaScript module whose default export returns the options of an account.',
  );
}

/** Runs work in the application's own modules, without their routes and their work in the background. */
async function inContext<T>(
  imports: DynamicModule[],
  work: (context: INestApplicationContext) => Promise<T>,
): Promise<T> {
  @Module({ imports })
  class CommandModule {}
  const context = await NestFactory.createApplicationContext(CommandModule, {
    logger: ['error'],
    abortOnError: false,
  });
  try {
    return await work(context);
  } finally {
    await context.close();
  }
}

/** A command has no configuration module of a host, so this module provides the store and the environment. */
function providing(store: PaymentsStore, environment: NodeJS.ProcessEnv): DynamicModule {
  return {
    module: class CommandProvidersModule {},
    global: true,
    providers: [
      { provide: PaymentsStore, useValue: store },
      { provide: ConfigService, useValue: { get: (name: string) => environment[name] } },
    ],
    exports: [PaymentsStore, ConfigService],
  };
}
