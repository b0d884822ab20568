/**
 * What a build can break, as parts of paths: the shop, commands, pages in a host, set-ups, processes, assets and statements. The gate runs these files once,
 * on the built packages. On the sources they run when somebody names files, and with TILLKIT_THOROUGH=1.
 */
const OF_THE_BUILD = [
  'sample-app/test/',
  'test/end-to-end/(bus|cli|resources|telemetry)/',
  'test/end-to-end/dashboard/(all-accounts|closing|configuration|forms|host|live|masks|postgres-pages|responses|words)',
  'test/end-to-end/(health|host|many-accounts|merchants|module|postgres|restores|rolling-upgrades|shutdown|start-order|wrong-set-ups)',
];

/** One use of everything: it runs on the sources and on the built packages. */
const OF_BOTH =
  'test/end-to-end/(claims|failures|listeners|payment-links|payouts|recorded-operations|refunds|report|request-a-payment|retention|sweeps)';

const filesOf = (parts) => parts.map((part) => `/${part}.*\\.e2e-spec\\.ts$`);

export const RUN_BUILT = filesOf([...OF_THE_BUILD, OF_BOTH]);
export const RUN_ONLY_BUILT = filesOf(OF_THE_BUILD);
