/**
 * Who may import whom, types included, from the bottom to the top: a part imports only parts that stand above it in this list, so that no circle of
 * folders is possible. Every part may also throw the public errors. `docs/architecture.md` draws the parts.
 *
 * Any other arrow stands here, each with what it is for; docs/decisions/0030-walls.md says why there are no others.
 */
const EVERYWHERE = ['money', 'store', 'runtime', 'accounts'];
const WALLS = {
  // Pure: amounts, phones, tills, transactions and when two of them are the same.
  money: [],
  // Ports only: what each small store is asked for, and its records.
  store: ['money'],
  runtime: ['money', 'store'],
  accounts: ['money', 'store', 'runtime'],
  queue: EVERYWHERE,
  platform: EVERYWHERE,
  ledger: [...EVERYWHERE, 'platform'],
  send: [...EVERYWHERE, 'platform', 'ledger'],
  operations: [...EVERYWHERE, 'platform', 'ledger', 'send'],
  // Beside @tillkit/postgres: it keeps what each kind needs, and knows the states.
  memory: [...EVERYWHERE, 'ledger', 'operations'],
  // Money at a till may be that of a payment.
  tills: [...EVERYWHERE, 'platform', 'ledger', 'operations'],
  // A subscription is confirmed by reading what a webhook links.
  inbox: [...EVERYWHERE, 'queue', 'platform', 'ledger', 'tills'],
  door: [...EVERYWHERE, 'platform', 'inbox'],
  listeners: [...EVERYWHERE, 'queue'],
  // An open operation is read, and sent again when that is the work of this process.
  round: [...EVERYWHERE, 'queue', 'platform', 'ledger', 'send', 'operations', 'tills'],
};

const SOURCE = '^libs/payments/src/';

/** Specs and fixtures may import everything. */
const TESTS = '\\.spec\\.ts$|/testing/';

/** What hosts see, and every part but `money` and `store` throws or reads. It imports at most `money` and `store`. */
const PUBLIC = '((payments|platform|operation|account)\\.errors|payments-(defaults|version))\\.ts$';

/** What these parts know of the application: the map of events by name, and the group of stores. */
const OF_THE_APPLICATION = {
  listeners: ['payments\\.events\\.ts$'],
  memory: ['payments\\.store\\.ts$'],
};

const parts = Object.keys(WALLS);

const wallRules = parts.map((part, position) => {
  const upward = WALLS[part].filter((other) => parts.indexOf(other) >= position);
  if (upward.length > 0) throw new Error(`${part} must stand below ${upward.join(', ')}`);
  const folders = [part, ...WALLS[part]].map((name) => `${name}/`);
  const ofHosts = part === 'money' || part === 'store' ? [] : [PUBLIC];
  const allowed = [...folders, ...ofHosts, ...(OF_THE_APPLICATION[part] ?? [])];
  return {
    name: `walls of ${part}`,
    comment: `It imports only ${WALLS[part].join(', ') || 'itself'}.`,
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
        pathNot: `${TESTS}|${SOURCE}(schematics|internal|${parts.join('|')})/`,
      },
      to: {},
    },
    {
      name: 'what hosts see stands at the bottom',
      comment: 'Every part throws the public errors, so they must not need a part.',
      severity: 'error',
      from: { path: `${SOURCE}${PUBLIC}` },
      to: { path: SOURCE, pathNot: `${SOURCE}(money/|store/|${PUBLIC})` },
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
        pathNot: `${TESTS}|${SOURCE}(memory/|application\\.store|payments(-account|\\.options)|internal/store\\.ts|index\\.ts)`,
      },
      to: { path: `${SOURCE}payments\\.store\\.ts` },
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
      from: { path: '^libs/[^/]+/src', pathNot: `${TESTS}|${SOURCE}runtime/telemetry/` },
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
