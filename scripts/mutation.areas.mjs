const SRC = 'libs/payments/src';
const E2E = 'test/end-to-end';
const sources = (...paths) => paths.map((path) => `${SRC}/${path}`);

/** What is mutated together, and the tests that must find it. Those of critical areas leave no unexplained survivor. */
export const AREAS = {
  verification: {
    isCritical: true,
    mutate: sources(
      'deliveries/signature.ts',
      'deliveries/url-mac.ts',
      'deliveries/callback-id.ts',
    ),
    tests: [`${SRC}/deliveries/*.spec.ts`, `${E2E}/{deliveries,signed-urls,door}.e2e-spec.ts`],
  },
  states: {
    isCritical: true,
    mutate: sources(
      'ledger/operation.states.ts',
      'ledger/received-money.decision.ts',
      'ledger/decision.changes.ts',
    ),
    tests: [`${SRC}/ledger/*.spec.ts`, `${SRC}/operations/**/*.spec.ts`],
  },
  sameness: {
    isCritical: true,
    mutate: sources(
      'transactions/transaction.sameness.ts',
      'values/till-number.ts',
      'values/money.ts',
    ),
    tests: [
      `${SRC}/transactions/*.spec.ts`,
      `${SRC}/values/*.spec.ts`,
      `${SRC}/tills/*.spec.ts`,
      `${SRC}/ledger/*.spec.ts`,
    ],
  },
  dispatch: {
    isCritical: true,
    mutate: sources(
      'events/event.dispatcher.ts',
      'events/listener.caller.ts',
      'events/claimed.calls.ts',
    ),
    tests: [`${SRC}/events/*.spec.ts`, `${E2E}/{listeners,claims}.e2e-spec.ts`],
  },
  tokens: {
    isCritical: true,
    mutate: sources('resources/tokens/*.ts', '!resources/tokens/*.spec.ts').map((path) =>
      path.replace(`${SRC}/!`, `!${SRC}/`),
    ),
    tests: [
      `${SRC}/resources/tokens/*.spec.ts`,
      `${E2E}/{tokens,rotated-tokens,token-host}.e2e-spec.ts`,
    ],
  },
};

/** Survivors that change nothing that anybody could notice, and why. `code` is the whole line. */
export const SURVIVORS = [];
