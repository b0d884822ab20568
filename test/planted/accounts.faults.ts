import type { SimulationFault } from './simulation.faults.js';

/** The rules that data of another account break. */
const MIXED: readonly string[] = [
  'cross-talk',
  'platform id of another payment',
  'transaction of another payment',
  'transaction never made',
  'missing till event',
];

/** Faults that mix up two accounts. */
export const ACCOUNT_FAULTS: readonly SimulationFault[] = [
  {
    name: 'the resources of one account serve all accounts',
    file: 'libs/payments/src/platform/resources.ts',
    find: 'const resources = this.made.get(account);',
    replace: 'const resources = this.made.all()[0] ?? this.made.get(account);',
    rules: ['cross-talk'],
  },
  {
    name: 'requests have the token of another account',
    file: 'libs/payments/src/platform/resources.ts',
    find: 'tokens.service(settings);',
    replace: '((this as never as { one: TokensService }).one ??= tokens.service(settings));',
    rules: ['cross-talk'],
  },
  {
    name: 'a callback settles the operation of another account with the same platform id',
    file: 'libs/payments/src/memory/memory-operations.store.ts',
    find: 'this.rowsOf(account).find((row) => hasPlatformId(row, kind, platformId))',
    replace:
      'this.accounts.all().flatMap((own) => [...own.values()]).find((row) => hasPlatformId(row, kind, platformId))',
    rules: [...MIXED, 'charge not recognised', 'not settled', 'needless review'],
  },
  {
    name: 'operations of all accounts may own a transaction',
    file: 'libs/payments/src/memory/memory-operations.store.ts',
    find: 'this.rowsOf(account)\n        .filter((row) => mayOwn',
    replace:
      'this.accounts.all().flatMap((own) => [...own.values()])\n        .filter((row) => mayOwn',
    rules: [...MIXED, 'charge not recognised', 'needless review'],
  },
  {
    name: 'bare requests of all accounts may own a transaction',
    file: 'libs/payments/src/memory/memory-bare-requests.store.ts',
    find: 'return [...this.requests.get(account).values()]\n      .filter(\n',
    replace:
      'return this.requests\n      .all()\n      .flatMap((own) => [...own.values()])\n      .filter(\n',
    rules: ['needless review', 'charge not recognised', ...MIXED],
  },
  {
    name: 'a transaction of another account has the same reference',
    file: 'libs/payments/src/memory/memory-transactions.store.ts',
    find: 'const record = records.get(reference);\n      if (record) found',
    replace:
      'const record = records.get(reference) ?? this.records.all().find((own) => own.has(reference))?.get(reference);\n      if (record) found',
    rules: [...MIXED, 'not settled', 'endless history', 'unbounded work'],
  },
  {
    name: 'what a process knows of a transaction is that of another account',
    file: 'libs/payments/src/ledger/recent-records.ts',
    find: 'return this.transactions.get(nameOf(account, reference));',
    replace:
      'return this.transactions.get(nameOf(account, reference)) ?? this.transactions.get(nameOf(account === "twin" ? "default" : "twin", reference));',
    rules: [...MIXED, 'not settled', 'endless history', 'unbounded work'],
  },
  {
    name: 'the id of an event does not depend on its account',
    file: 'libs/payments/src/store/new-event.ts',
    find: 'digest(32, account, stream, name, distinction)',
    replace: 'digest(32, stream, name, distinction)',
    rules: ['cross-talk'],
  },
  {
    name: 'the listener of another account is called',
    file: 'libs/payments/src/listeners/local-listeners.ts',
    find: 'return this.listeners.get(account)?.find(',
    replace: 'return (account === "" ? undefined : [...this.listeners.values()][0])?.find(',
    rules: ['cross-talk'],
  },
  {
    name: 'the calls of one account are acknowledged for another',
    file: 'libs/payments/src/listeners/event-dispatcher.ts',
    find: 'const claim = this.claimed.finish(call);',
    replace:
      'const claim = { ...this.claimed.finish(call), account: this.accounts.all()[0]?.account ?? "" };',
    rules: ['cross-talk'],
  },
  {
    name: 'callback URLs have the secret of another account',
    file: 'libs/payments/src/door/signed-callback-urls.ts',
    find: 'return this.accounts\n      .settings(account)\n      .urlSecrets.map(',
    replace: 'return (this.accounts.all()[0] ?? this.accounts.settings(account)).urlSecrets.map(',
    rules: ['valid delivery refused'],
  },
  {
    name: 'callback URLs have the path of another account',
    file: 'libs/payments/src/door/signed-callback-urls.ts',
    find: 'const { publicUrl, path } = this.accounts.settings(account);',
    replace:
      'const { publicUrl, path } = this.accounts.all()[0] ?? this.accounts.settings(account);',
    rules: ['valid delivery refused'],
  },
  {
    name: 'deliveries are stored for another account',
    file: 'libs/payments/src/memory/memory-deliveries.store.ts',
    find: 'this.accounts.get(delivery.account)',
    replace: 'this.accounts.get("default")',
    rules: ['cross-talk'],
  },
  {
    name: 'a pause of one account holds for all',
    file: 'libs/payments/src/memory/memory-pauses.store.ts',
    find: 'return this.paused.get(account) ?? this.paused.get(null) ?? null;',
    replace:
      'return this.paused.get(account) ?? this.paused.get(null) ?? [...this.paused.values()][0] ?? null;',
    rules: ['paused by another account', 'waits for another account', 'cross-talk'],
  },
  {
    name: 'a pause of all accounts holds for none',
    file: 'libs/payments/src/memory/memory-pauses.store.ts',
    find: 'return this.paused.get(account) ?? this.paused.get(null) ?? null;',
    replace: 'return this.paused.get(account) ?? null;',
    rules: ['recorded during a pause', 'sent during a pause'],
  },
  {
    name: 'what an account recorded before a pause is sent during it',
    file: 'libs/payments/src/memory/memory-operations.store.ts',
    find: 'this.now() < row.sendBefore && this.pauses.pausing(account) === null',
    replace: 'this.now() < row.sendBefore',
    rules: ['sent during a pause'],
  },
  {
    name: 'all accounts wait when the platform of one asks to',
    file: 'libs/payments/src/platform/background-requests.ts',
    find: 'const until = this.until.get(account);',
    replace: 'const until = this.until.get(account === "default" ? "twin" : account);',
    rules: ['waits for another account'],
  },
  {
    name: 'one rate and one circuit serve all accounts',
    file: 'libs/payments/src/platform/background-requests.ts',
    find: 'const { limiter, breaker } = this.limits.get(account);',
    replace: 'const { limiter, breaker } = this.limits.all()[0] ?? this.limits.get(account);',
    rules: ['waits for another account'],
  },
  {
    name: 'one circuit serves all accounts',
    file: 'libs/payments/src/platform/background-requests.ts',
    find: 'const { limiter, breaker } = this.limits.get(account);',
    replace:
      'const { limiter } = this.limits.get(account);\n    const { breaker } = this.limits.all()[0] ?? this.limits.get(account);',
    rules: ['waits for another account'],
  },
  {
    name: 'a create that has waited is not asked for again',
    file: 'libs/payments/src/platform/http/write-permission.ts',
    find: 'UNASKED_MS = SECOND;',
    replace: 'UNASKED_MS = 1_000 * SECOND;',
    rules: ['sent without permission'],
  },
  {
    name: 'a permission to write does not age while a connection is made',
    file: 'libs/payments/src/platform/http/write-permission.ts',
    find: 'this.unasked?.isOver === false;',
    replace: 'this.unasked !== null;',
    rules: ['sent without permission'],
  },
  {
    name: 'a create is sent without asking again after the answer to its commit was lost',
    file: 'libs/payments/src/send/operation-sender.ts',
    find: 'return this.sendRequested(requested, { limit, failures, unasked });',
    replace: 'return this.sendRequested(requested, { limit, failures, unasked: this.unasked() });',
    rules: ['sent without permission'],
  },
  {
    name: 'a token is used at the host that replaces its own',
    file: 'libs/payments/src/platform/tokens/tokens.service.ts',
    find: 'if (made && hasSameTokens(made.settings, current)) {',
    replace: 'if (made) {',
    rules: ['secret sent to another host'],
  },
];

const SQL = 'libs/postgres/src/generated/sql.ts';

/** Faults in SQL that mix up two accounts: only histories on PostgreSQL can find them. */
export const SQL_FAULTS: readonly SimulationFault[] = [
  {
    name: 'SQL: a callback finds the operation of another account by its platform id',
    file: SQL,
    find: 'and operation_row.account = $1\\nwhere named.name = :fn.platform_name($2, $3) and named.account = $1',
    replace:
      'and operation_row.account = named.account\\nwhere $1::text is not null and named.name = :fn.platform_name($2, $3)',
    rules: [...MIXED, 'charge not recognised', 'not settled', 'needless review'],
  },
  {
    name: 'SQL: a pause of one account holds for all accounts',
    file: SQL,
    find: "where is_current and account = any (array[wanted->>'account', '*']) order by account = '*'",
    replace: "where is_current order by account = '*'",
    rules: ['paused by another account', 'cross-talk'],
  },
];
