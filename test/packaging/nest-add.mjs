/**
 * `nest add @tillkit/payments` on new projects of the Nest CLI 11 (CommonJS) and 12 (ES modules), with the packed package: the project compiles,
 * its own tests pass, it starts without settings with an error that names them, and takes a payment from the simulator. A second run changes
 * nothing.
 * Usage: node test/packaging/nest-add.mjs [11] [12]
 */
import { execFile, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from '../support/script.port.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** A command that hangs fails. */
const DEADLINE_MS = 900_000;

const execute = promisify(execFile);
const run = async (command, args, cwd, environment = {}) => {
  const { stdout, stderr } = await execute(command, args, {
    cwd,
    env: { ...process.env, ...environment },
    timeout: DEADLINE_MS,
  });
  return `${stdout}${stderr}`;
};

const work = mkdtempSync(join(tmpdir(), 'tillkit-nest-add-'));
let [passed, failed] = [0, 0];
try {
  const args = ['pack', '--json', '--pack-destination', work];
  const [{ filename }] = JSON.parse(
    (await execute('npm', args, { cwd: join(ROOT, 'libs/payments') })).stdout,
  );
  const asked = process.argv.slice(2);
  for (const major of asked.length > 0 ? asked : ['11', '12'])
    await project(major, join(work, filename));
} finally {
  rmSync(work, { recursive: true, force: true });
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;

async function project(major, tarball) {
  const name = `NestJS ${major}`;
  const directory = join(work, `shop${major}`);
  const read = (path) => readFileSync(join(directory, path), 'utf8');
  const nest = (...args) => run(join(directory, 'node_modules/.bin/nest'), args, directory);
  const add = (...args) => nest('add', '@tillkit/payments', '--skip-install', ...args);

  const isThere = await check(`${name}: a new project with the packed package`, async () => {
    const cli = join(work, `cli${major}`);
    await run(
      'npm',
      ['install', '--prefix', cli, '--no-audit', '--no-fund', `@nestjs/cli@${major}`],
      work,
    );
    const flags = ['--skip-install', '--skip-git', '--package-manager', 'npm', '--strict'];
    await run(join(cli, 'node_modules/.bin/nest'), ['new', `shop${major}`, ...flags], work);
    await run(
      'npm',
      ['install', '--no-audit', '--no-fund', '--loglevel=error', tarball],
      directory,
    );
  });
  if (!isThere) return;
  await check(
    `${name}: a root module that is not there is named, and nothing changes`,
    async () => {
      const before = read('package.json');
      // The Nest CLI 11 prints the error, and ends with 0.
      const error = await add('--module=main.module.ts').then(
        (output) => output,
        (failure) => `${failure.stdout}${failure.stderr}`,
      );
      expect(/There is no src\/main\.module\.ts/.test(error), error);
      expect(read('package.json') === before, 'package.json has changed');
    },
  );
  await check(`${name}: nest add`, async () => {
    const output = await add();
    expect(/Next:\s+1\. Start a platform.*npx @tillkit\/simulator/.test(output), output);
    for (const wanted of ['PaymentsModule.forRoot()', 'PaymentsListener', 'ConfigModule.forRoot()'])
      expect(read('src/app.module.ts').includes(wanted), read('src/app.module.ts'));
    expect(/"@nestjs\/axios"/.test(read('package.json')), read('package.json'));
  });
  await check(`${name}: a second nest add changes nothing`, async () => {
    const files = ['src/app.module.ts', 'package.json', '.env.example', '.env'];
    const before = files.map(read);
    writeFileSync(
      join(directory, 'src/payments.listener.ts'),
      `${read('src/payments.listener.ts')}// mine\n`,
    );
    await add();
    const after = files.map(read);
    expect(JSON.stringify(before) === JSON.stringify(after), 'a file has changed');
    expect(
      read('src/payments.listener.ts').endsWith('// mine\n'),
      'the listener was written again',
    );
  });
  await check(`${name}: the project compiles`, () => run('npm', ['run', 'build'], directory));
  await check(`${name}: the end-to-end test of the new project still passes`, () => {
    // Jest and Vitest allow seconds: too little on a busy machine.
    const limits = [`--testTimeout=${DEADLINE_MS}`];
    if (read('package.json').includes('vitest run')) limits.push(`--hookTimeout=${DEADLINE_MS}`);
    return run('npm', ['run', 'test:e2e', '--', ...limits], directory);
  });
  await check(`${name}: without settings it starts with an error that names them`, async () => {
    rmSync(join(directory, '.env'));
    const error = await run('npm', ['run', 'start:prod'], directory).then(
      (output) => output,
      (failure) => `${failure.stdout}${failure.stderr}`,
    );
    expect(/PAYMENTS_BASE_URL/.test(error), error);
  });
  await check(`${name}: with the .env.example it takes a payment`, () => pay(directory));
}

/** Starts the application with the example's settings, and asks it for a payment. */
async function pay(directory) {
  const [port, platformPort] = [await freePort(), await freePort()];
  cpSync(join(directory, '.env.example'), join(directory, '.env'));
  const main = readFileSync(join(directory, 'src/main.ts'), 'utf8');
  const asking = main.replace(
    /(await app\.listen\([^;]*;)/,
    `$1\n  await app.get(PaymentsListener).checkout('17', '0700 000 001');`,
  );
  writeFileSync(
    join(directory, 'src/main.ts'),
    `import { PaymentsListener } from '${listenerOf(directory)}';\n${asking}`,
  );
  await run('npm', ['run', 'build'], directory);
  const platform = start(
    process.execPath,
    [join(ROOT, 'libs/simulator/bin/simulator.mjs'), '--port', String(platformPort)],
    ROOT,
  );
  await platform.prints(/PAYMENTS_CLIENT_ID/);
  const application = start('npm', ['run', 'start:prod'], directory, {
    PORT: String(port),
    PAYMENTS_BASE_URL: `http://127.0.0.1:${platformPort}`,
    PAYMENTS_PUBLIC_URL: `http://127.0.0.1:${port}`,
  });
  try {
    await application.prints(/order-17-1 is paid: \w+/);
  } finally {
    application.stop();
    platform.stop();
  }
}

function start(command, args, cwd, environment = {}) {
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, ...environment },
    detached: true,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += data));
  return {
    prints: async (wanted) => {
      const endsAt = Date.now() + DEADLINE_MS;
      while (!wanted.test(output)) {
        if (Date.now() > endsAt) throw new Error(`${command} does not print ${wanted}: ${output}`);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    },
    stop: () => process.kill(-(child.pid ?? 0), 'SIGTERM'),
  };
}

function listenerOf(directory) {
  const { type } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
  return type === 'module' ? './payments.listener.js' : './payments.listener';
}

async function check(what, work) {
  try {
    await work();
    passed += 1;
    console.log(`ok: ${what}`);
    return true;
  } catch (error) {
    failed += 1;
    console.log(`FAILED: ${what}\n${error.stdout ?? ''}${error.stderr ?? ''}${error.stack}`);
    return false;
  }
}

function expect(holds, shown) {
  if (!holds) throw new Error(shown);
}
