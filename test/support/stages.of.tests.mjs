/**
 * Most files of tests run in one stage of the gate only. These run in a stage of their own, and in `npm test` only when somebody names files, or with TILLKIT_THOROUGH=1.
 * Each entry is the beginning of a path.
 */

/** A build can break these: the shop, commands, pages in a host, set-ups, processes, assets and statements. They run on the built packages. */
const OF_THE_BUILD = [
  'sample-app/test/',
  'test/end-to-end/(bus|cli|resources|telemetry)/',
  'test/end-to-end/dashboard/(all-accounts|closing|configuration|forms|host|live|masks|postgres-pages|responses)',
  'test/end-to-end/(builds|health|host|many-accounts|merchants|module|postgres|restores|rolling-upgrades|shutdown|start-order|wrong-set-ups)',
];

/** These files use everything once. They run on the sources and on the built packages. */
const OF_BOTH =
  'test/end-to-end/(claims|failures|listeners|payment-links|payouts|recorded-operations|refunds|report|request-a-payment|retention|sweeps)';

/** Only our own tools can break these, and no change of a package: `npm run test:tools`. */
const OF_THE_TOOLS = ['scripts/', 'test/(docs/typescript-blocks|mutation/|simulation/|support/)'];

const filesOf = (beginnings) => beginnings.map((beginning) => `/${beginning}.*spec\\.ts$`);

/** Jest's `testRegex` takes this. */
export const RUN_BUILT = filesOf([...OF_THE_BUILD, OF_BOTH]);
/** Jest's `testPathIgnorePatterns` takes this. */
export const RUN_ELSEWHERE = filesOf([...OF_THE_BUILD, ...OF_THE_TOOLS]).map(
  (file) => `<rootDir>${file}`,
);
