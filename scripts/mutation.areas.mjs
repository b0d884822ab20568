import { SOURCES } from './mutation.change.mjs';

const sources = (...paths) => paths.map((path) => `${SOURCES}/${path}`);

/** Tests must find every mutant of these files, except the survivors explained below. */
export const AREAS = {
  verification: sources('door/signature.ts', 'door/url-mac.ts', 'inbox/callback-id.ts'),
  states: sources('ledger/operation-states.ts', 'ledger/decisions.ts'),
  sameness: sources('money/transaction-sameness.ts', 'money/till-number.ts', 'money/money.ts'),
  dispatch: sources(
    'listeners/event-dispatcher.ts',
    'listeners/listener-caller.ts',
    'listeners/call-queue.ts',
    'queue/claimed-work.ts',
  ),
  tokens: sources('platform/tokens/token-vault.ts', 'platform/tokens/tokens.service.ts'),
};

/** Patterns of paths without their ending: these files decide where money is, so tests must find at least 90 % of their mutants. */
export const OF_MONEY = [
  'ledger/.*',
  'send/.*',
  'operations/.*/.*[.-](?:decision|results|kind)',
  'tills/(?:payment-matcher|match-window|observed-changes|swept-lists|till-ledger)',
  'money/(?:money|till-number|transaction-sameness)',
];
export const MONEY_PATH = new RegExp(`^${SOURCES}/(?:${OF_MONEY.join('|')})\\.ts$`);

/** Survivors that change nothing that anybody could notice, and why. `code` is the whole line, so that no explanation outlives its code. */
export const SURVIVORS = [
  {
    why: 'a cache: the key is prepared again',
    file: 'libs/payments/src/door/signature.ts',
    code: 'if (existing) return existing;',
    replacement: 'false',
  },
  {
    why: 'undefined is no token either',
    file: 'libs/payments/src/platform/tokens/token-vault.ts',
    code: '} catch {',
    replacement: '{}',
  },
  {
    why: 'it is set before the loop begins',
    file: 'libs/payments/src/listeners/event-dispatcher.ts',
    code: 'private due: readonly string[] = [];',
    replacement: '["Stryker was here"]',
  },
  ...['true', 'calls.length <= limit'].map((replacement) => ({
    why: 'each claimed call that ends asks again',
    file: 'libs/payments/src/listeners/event-dispatcher.ts',
    code: 'more = calls.length < limit ? this.claimed.caughtUp(wanted, calls, lastLeft) : asked;',
    replacement,
  })),
  ...['this.due', 'true'].map((replacement) => ({
    why: 'an account without listeners is not asked for: the list only stays short',
    file: 'libs/payments/src/listeners/event-dispatcher.ts',
    code: 'this.due = this.due.filter((other) => other !== account);',
    replacement,
  })),
  {
    why: 'undefined is as good as absent',
    file: 'libs/payments/src/listeners/event-dispatcher.ts',
    code: '...(traceparent !== undefined && { traceparent }),',
    replacement: 'true',
  },
  {
    why: 'undefined is as good as absent',
    file: 'libs/payments/src/listeners/listener-caller.ts',
    code: 'return { kind: outcome.kind, ...(made.error !== undefined && { error: made.error }) };',
    replacement: 'true',
  },
  {
    why: 'only whether it is there counts',
    file: 'libs/payments/src/listeners/call-queue.ts',
    code: 'this.followed.put(streamOf(call), true);',
    replacement: 'false',
  },
  {
    why: 'there is no such state',
    file: 'libs/payments/src/ledger/operation-states.ts',
    code: 'reversed: [],',
    replacement: '["Stryker was here"]',
  },
  {
    why: 'no till has such a number',
    file: 'libs/payments/src/money/transaction-sameness.ts',
    code: 'joined: readonly string[] = [],',
    replacement: '["Stryker was here"]',
  },
  {
    why: 'the first sum that lists the number is also the first at the till',
    file: 'libs/payments/src/money/transaction-sameness.ts',
    code: 'if (listed >= 0) return listed;',
    replacement: 'listed > 0',
  },
  {
    why: 'a text that was split has a first part: the default is for the compiler',
    file: 'libs/payments/src/money/money.ts',
    code: "const [whole = '0', fraction = ''] = value.split('.');",
    replacement: '""',
  },
  {
    why: 'null is no decimal text: the check is for the compiler',
    file: 'libs/payments/src/money/money.ts',
    code: 'const minor = amount === null ? null : toMinorUnits(amount, currency);',
    replacement: 'false',
  },
  {
    why: 'both are no currency',
    file: 'libs/payments/src/money/money.ts',
    code: "export function amountProblem(value: unknown, currency = ''): string | null {",
    replacement: '"Stryker was here!"',
  },
];
