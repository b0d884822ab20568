/**
 * The stages of each gate, in the order in which they begin.
 *
 * - `command` runs in Bash at the root. It fails if any part of a pipe fails.
 * - `after` are stages that must have passed. `cores` is how many it keeps busy: one if nothing is said, also for tests that wait for pages and processes most of the time.
 * - `tests` says that it is a run of Jest, each of whose tests counts.
 * - `needs` are files of Debian's packages: without them, the stage is said not to have run.
 */
const POSTGRES = '/usr/lib/postgresql';
const PROMETHEUS = '/usr/bin/prometheus';
const CHROMIUM = '/usr/bin/chromium';
const BROKERS = [
  '/usr/lib/rabbitmq/bin/rabbitmq-server',
  '/usr/bin/redis-server',
  '/usr/sbin/nats-server',
];

const REVERSE_PROXIES = [
  '/usr/sbin/nginx',
  '/usr/sbin/haproxy',
  '/usr/bin/caddy',
  '/usr/sbin/apache2',
  '/usr/sbin/lighttpd',
  '/usr/lib/apache2/modules/mod_security2.so',
  '/usr/share/modsecurity-crs/owasp-crs.load',
];

const INSTALL = 'npm ci';
const TOOLS = 'packages of the tools';
const SITE = 'documentation site';
const RELEASE = 'release, dry run';
const CONSUMERS = 'consumers';
const NEST = "Nest's own commands";
const BUILD = 'build';
const DEBIAN = "Debian's packages";

const install = {
  name: INSTALL,
  // Every package must accept the Node that we promise.
  command: 'npm ci 2>&1 | tee /dev/stderr | { ! grep -q EBADENGINE; }',
};
const debian = {
  name: DEBIAN,
  command:
    '.ci/debian.sh postgresql pgbouncer prometheus rabbitmq-server redis-server nats-server chromium squid tinyproxy',
  cores: 0,
};
const debianForReleases = {
  ...debian,
  command: `${debian.command} nginx haproxy caddy apache2 libapache2-mod-security2 modsecurity-crs lighttpd lighttpd-mod-openssl`,
};

/** Once, before stages that run side by side want to install them. Nest's own commands install theirs, before anybody else wants them. */
const tools = {
  name: TOOLS,
  command:
    'node scripts/tools.mjs bench test tools/lint tools/release tools/site && node test/hosts/prepare.mjs',
  after: [INSTALL],
};

const installed = (name, command, more = {}) => ({ name, command, after: [TOOLS], ...more });
const built = (name, command, more = {}) => ({
  name,
  // Built once, for all of them.
  command: command.replace('npm run', 'npm run --silent --ignore-scripts'),
  after: [BUILD],
  ...more,
});
/** A stage with the tests of `npm test`, whose proxies are Debian's: without them, they fail here. */
const tested = (name, command, more = {}) =>
  installed(name, command, { after: [INSTALL, DEBIAN], tests: true, cores: 2, ...more });
/** A stage with programs of Debian's. */
const onDebian = (stage, needs) => ({ ...stage, after: [...stage.after, DEBIAN], needs });

export const GATES = {
  /** Before a change lands. What others wait for begins first, then what takes long. */
  run: [
    install,
    debian,
    // Before the build: it writes the same files.
    installed(NEST, 'npm run --silent test:nest', { after: [INSTALL], cores: 2 }),
    installed(BUILD, 'npm run --silent build', { after: [NEST] }),
    tested('npm test', 'npm test --silent'),
    tools,
    // These wait for what is measured each few seconds, and for brokers that start again and again.
    onDebian(
      installed('alert rules on a real Prometheus', 'npm run --silent test:observability', {
        cores: 0,
      }),
      [PROMETHEUS],
    ),
    onDebian(
      installed('events on real brokers', 'npm run --silent test:bus -- --payments 100', {
        cores: 0,
      }),
      BROKERS,
    ),
    installed(SITE, 'DOCS_BASE=/tillkit/ npm run --silent docs', { after: [BUILD, TOOLS] }),
    // One after another: each packs the packages.
    installed(RELEASE, 'npm run --silent release -- --dry-run', { after: [BUILD, TOOLS] }),
    installed(CONSUMERS, 'npm run --silent test:consumers', { after: [RELEASE] }),
    installed('nest add', 'npm run --silent test:nest-add -- 12', { after: [CONSUMERS] }),
    onDebian(
      installed('browser tests', 'SITE_FOLDER=dist/site npm run --silent test:browser', {
        after: [SITE],
        tests: true,
      }),
      [CHROMIUM],
    ),
    built('tests on the built packages', 'npm run test:dist', {
      after: [BUILD, DEBIAN],
      tests: true,
    }),
    onDebian(
      installed("the store on Debian's PostgreSQL", 'npm run --silent test:debian', {
        after: [INSTALL],
        tests: true,
      }),
      [POSTGRES],
    ),
    onDebian(
      installed('the store through PgBouncer', 'npm run --silent test:pooled', {
        after: [INSTALL],
        tests: true,
      }),
      [POSTGRES, '/usr/sbin/pgbouncer'],
    ),
    installed('types', 'npm run --silent typecheck', { after: [INSTALL] }),
    installed('format', 'npm run --silent format:check', { after: [INSTALL] }),
    installed('lint', 'npm run --silent lint'),
    installed('tools of this repository', 'npm run --silent test:tools', { tests: true }),
    installed('simulation', 'npm run --silent test:simulation -- --histories 300'),
    installed(
      'simulation on PostgreSQL',
      'npm run --silent test:simulation -- --store postgres --histories 10',
    ),
    installed('simulation in containers', 'npm run --silent test:simulation -- --container 20'),
    installed('attacks', 'npm run --silent test:hostile -- --short'),
    installed('fault campaign', 'npm run --silent test:faults -- --short'),
    installed('counts', 'npm run --silent counts -- --check'),
    installed('recipes', 'npm run --silent test:recipes'),
    installed('libraries of hosts', 'npm run --silent test:hosts -- prisma typeorm'),
    built('public API', 'npm run api'),
  ],
  /** Before a release, beside the first: what takes hours. */
  full: [
    install,
    debianForReleases,
    tools,
    ...[22, 24].map((version) =>
      tested(`npm test on Node ${version}`, `.ci/on-node.sh ${version} npm test --silent -- .`),
    ),
    tested('npm test, each file in a realm of its own', 'npm run --silent test:isolated'),
    tested(
      'npm test, every property as often as it deserves',
      'TILLKIT_THOROUGH=1 npm test --silent',
    ),
    tested('coverage', 'npm run --silent test:cov', { tests: false }),
    tested('tests on the built packages, all', 'TILLKIT_THOROUGH=1 npm run --silent test:dist'),
    installed('nest add, both versions', 'npm run --silent test:nest-add'),
    installed('matrix', 'npm run --silent test:matrix', { cores: 2 }),
    onDebian(installed('reverse proxies', 'npm run --silent test:proxies'), REVERSE_PROXIES),
    installed('bundles, Bun and Deno', 'npm run --silent test:bundles'),
    onDebian(
      installed(
        'browser tests on every screen and every page of the documentation',
        'TILLKIT_THOROUGH=1 npm run --silent test:browser',
        { cores: 2, tests: true },
      ),
      [CHROMIUM],
    ),
    installed('simulation', 'npm run --silent test:simulation -- --histories 100000 --workers 2', {
      cores: 2,
    }),
    installed('simulation in containers', 'npm run --silent test:simulation -- --container 300'),
    installed(
      'simulation on PostgreSQL',
      'npm run --silent test:simulation -- --store postgres --histories 2000',
    ),
    ...[20, 22].map((version) =>
      installed(
        `libraries of hosts on Node ${version}`,
        `.ci/on-node.sh ${version} npm run --silent test:hosts`,
      ),
    ),
    installed(
      'kills in transactions of hosts',
      '.ci/on-node.sh 22 npm run --silent test:hosts -- --kills 50',
    ),
    onDebian(installed('events on real brokers', 'npm run --silent test:bus'), BROKERS),
    installed('attacks', 'npm run --silent test:hostile'),
    installed('fault campaign', 'npm run --silent test:faults'),
    onDebian(
      installed('planted faults', 'npm run --silent test:planted -- specs simulation attack bus'),
      [BROKERS[0]],
    ),
    installed('kills', 'npm run --silent test:kills -- --rounds 200'),
    tested('mutation', 'npm run --silent test:mutation', { tests: false }),
    installed('benchmarks', 'npm run --silent bench', { cores: 2 }),
  ],
};
