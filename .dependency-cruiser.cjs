/**
 * Who may import whom, types included. `docs/architecture.md` draws the parts.
 *
 * Every part may import `money`, `work`, the ports of `store`, and what hosts see: errors, options, defaults. Any other arrow stands here, each with
 * what it is for; docs/decisions/0030-walls.md says why there are no others.
 */
const WALLS = {
  // Pure: amounts, phones, tills, transactions and when two of them are the same.
  money: [],
  work: [],
  // The records of each kind and the typed map of events; the store in memory also knows the states.
  store: ['operations', 'platform', 'ledger'],
  platform: [],
  ledger: [],
  send: ['ledger', 'platform'],
  operations: ['ledger', 'send', 'platform'],
  // Money at a till may be that of a payment.
  tills: ['ledger', 'platform', 'operations'],
  // A subscription is confirmed by reading what a webhook links.
  inbox: ['ledger', 'tills', 'platform'],
  door: ['inbox'],
  listeners: [],
  // A payment is followed longer than the other kinds.
  round: ['ledger', 'send', 'tills', 'platform', 'operations'],
  // Only the module of the application knows accounts.
  accounts: [],
};

/** What `money` and `work` may import of what every part may import: `money` nothing, `work` no record. */
const SHARED = { money: [], work: ['money', 'store'], store: ['money', 'work'] };

const SOURCE = '^libs/payments/src/';

/** Specs and fixtures may import everything. */
const TESTS = '\\.spec\\.ts$|/testing/';

/** What hosts see, and every part throws or reads. */
const PUBLIC =
  'payments(\\.(errors|options|module-definition)|-(account-errors|defaults|version))\\.ts$';

const wallRules = Object.entries(WALLS).map(([part, others]) => {
  const shared = SHARED[part] ?? ['money', 'work', 'store'];
  const folders = [part, ...shared, ...others].map((name) => `${name}/`);
  const allowed = part === 'money' ? folders : [...folders, PUBLIC];
  return {
    name: `walls of ${part}`,
    comment: `It imports only ${[...shared, ...others].join(', ') || 'itself'}.`,
    severity: 'error',
    from: { path: `${SOURCE}${part}/`, pathNot: TESTS },
    to: { path: SOURCE, pathNot: `${SOURCE}(${allowed.join('|')})` },
  };
});

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    ...wallRules,
    {
      name: 'each part has its wall',
      comment: 'A new folder needs a line in WALLS.',
      severity: 'error',
      from: {
        path: `${SOURCE}[^/]+/`,
        pathNot: `${TESTS}|${SOURCE}(schematics|internal|${Object.keys(WALLS).join('|')})/`,
      },
      to: {},
    },
    {
      name: 'no circles',
      comment: 'No file needs itself, also not by a type.',
      severity: 'error',
      from: { path: '^libs/[^/]+/src' },
      to: { circular: true },
    },
    {
      name: 'kinds of operations are siblings',
      comment:
        'payments, payouts, ... do not import each other: what they share stands in ledger/.',
      severity: 'error',
      from: { path: `${SOURCE}operations/([^/]+)/` },
      to: { path: `${SOURCE}operations/`, pathNot: `${SOURCE}operations/$1/` },
    },
    {
      name: 'only the module and the stores know the group of stores',
      comment: 'A part injects the small stores that it uses.',
      severity: 'error',
      from: {
        path: SOURCE,
        pathNot: `${TESTS}|${SOURCE}(store/|application\\.store|account-handles|payments(-account|-core\\.module|\\.module|\\.options)|internal/store\\.ts|index\\.ts)`,
      },
      to: { path: `${SOURCE}store/payments\\.store\\.ts` },
    },
    {
      name: 'the simulator is independent',
      comment: 'It is a second reading of the platform: it shares no code with the library.',
      severity: 'error',
      from: { path: '^libs/simulator/src' },
      to: { path: '^libs/(payments|postgres|dashboard|cli)/' },
    },
    {
      name: 'stores and dashboard use the public contract',
      comment: 'Other packages import the entry points of @tillkit/payments, never its files.',
      severity: 'error',
      from: { path: '^libs/(postgres|dashboard)/src', pathNot: TESTS },
      to: { path: SOURCE, pathNot: `${SOURCE}(index|types|internal/(store|routes))\\.ts$` },
    },
    {
      name: 'the command uses the public contract',
      comment: 'It imports the entry points of the other packages, never their files.',
      severity: 'error',
      from: { path: '^libs/cli/src', pathNot: TESTS },
      to: {
        path: '^libs/[^/]+/src/',
        pathNot:
          '^libs/cli/|^libs/payments/src/(index|types|internal/(store|routes|tools))\\.ts$|^libs/postgres/src/index\\.ts$|^libs/simulator/src/internal/examples\\.ts$',
      },
    },
    {
      name: 'only telemetry knows OpenTelemetry',
      comment: 'One folder decides what spans and metrics are called and what they may contain.',
      severity: 'error',
      from: { path: '^libs/[^/]+/src', pathNot: `${TESTS}|${SOURCE}work/telemetry/` },
      to: { path: '@opentelemetry/' },
    },
    {
      name: 'optional packages stay behind their own entry point',
      comment: 'An application that does not import the entry point need not install the package.',
      severity: 'error',
      from: { path: SOURCE, pathNot: `${TESTS}|${SOURCE}(round/health|listeners/bus)/` },
      to: { path: '@nestjs/(terminus|microservices)' },
    },
    {
      name: 'pages knows nothing of ours',
      severity: 'error',
      from: { path: '^libs/pages/src' },
      to: { path: '^libs/(payments|postgres|dashboard|simulator|cli)/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '/dist/|/generated/' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      conditionNames: ['@tillkit/source', 'import', 'types', 'default'],
      exportsFields: ['exports'],
      extensions: ['.ts', '.js'],
    },
  },
};
