/**
 * Who may import whom. Types count: a folder that names a type of another one depends on it.
 *
 * libs/payments/src is a list of layers. A layer imports only itself and the layers above it in this list.
 */
const LAYERS = [
  'values',
  '(payments\\.(errors|account-errors|version|defaults|settings|constants)|known\\.accounts|environment\\.variables|start\\.risks)\\.ts',
  'telemetry',
  'runtime',
  'accounts/',
  'http',
  'resources',
  'anomalies',
  'totals',
  'transactions',
  'ledger',
  'operations',
  'tills',
  'deliveries',
  'reconciliation',
  'retention',
  'events',
  'payments\\.store\\.ts',
  'stores',
];

const SOURCE = '^libs/payments/src/';

/** Specs and fixtures may import everything. */
const TESTS = '\\.spec\\.ts$|/testing/';

const only = (layers) => `${SOURCE}(${layers.join('|')})`;

const layerRules = LAYERS.map((layer, place) => ({
  name: `layer ${layer.replace(/\\|\(.*/g, '')}`,
  comment: `Imports go down only: ${LAYERS.slice(0, place + 1).join(' < ')}`,
  severity: 'error',
  from: { path: `${SOURCE}${layer}`, pathNot: TESTS },
  to: { path: SOURCE, pathNot: only(LAYERS.slice(0, place + 1)) },
}));

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    ...layerRules,
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
        pathNot: `${TESTS}|${SOURCE}(stores/|account\\.handles|payments(\\.account|-core\\.module|\\.module|\\.options)|store\\.ts|index\\.ts)`,
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
      to: { path: SOURCE, pathNot: `${SOURCE}(index|store|routes)\\.ts$` },
    },
    {
      name: 'the command uses the public contract',
      comment: 'It imports the entry points of the other packages, never their files.',
      severity: 'error',
      from: { path: '^libs/cli/src', pathNot: TESTS },
      to: {
        path: '^libs/[^/]+/src/',
        pathNot:
          '^libs/cli/|^libs/payments/src/(index|store|routes|tools)\\.ts$|^libs/postgres/src/index\\.ts$',
      },
    },
    {
      name: 'only telemetry knows OpenTelemetry',
      comment: 'One folder decides what spans and metrics are called and what they may contain.',
      severity: 'error',
      from: { path: '^libs/[^/]+/src', pathNot: `${TESTS}|${SOURCE}telemetry/` },
      to: { path: '@opentelemetry/' },
    },
    {
      name: 'optional packages stay behind their own entry point',
      comment: 'An application that does not import the entry point need not install the package.',
      severity: 'error',
      from: { path: SOURCE, pathNot: `${TESTS}|${SOURCE}(health|microservices)/` },
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
