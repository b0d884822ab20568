process.env.TEST_TARGET = 'dist';
const { default: base } = await import('./jest.config.mjs');

/**
 * What a build can break: entry points, set-ups, processes, assets, statements, and one use of everything. What a payment, payout, refund or merchant does in
 * each case is proven on the sources. All files with TILLKIT_THOROUGH=1.
 */
const USES = [
  'sample-app/test/',
  'test/end-to-end/(bus|cli|resources|telemetry)/',
  'test/end-to-end/dashboard/(all-accounts|closing|configuration|forms|host|live|masks|postgres-pages|responses|words)',
  'test/end-to-end/(accounts|claims|deliveries|door|failures|health|host|listeners|many-accounts|merchants|module|payment-links|payouts|postgres)',
  'test/end-to-end/(recorded-operations|refunds|report|request-a-payment|restores|retention|rolling-upgrades|shutdown|start-order|sweeps|wrong-set-ups)',
];

/** @type {import('jest').Config} */
export default {
  ...base,
  ...(process.env.TILLKIT_THOROUGH !== '1' && {
    testRegex: USES.map((files) => `/${files}.*\\.e2e-spec\\.ts$`),
  }),
};
