/**
 * Follows the recipes of CONTRIBUTING.md word for word in a copy of the sources, compiles the result and runs it.
 * Usage: npm run test:recipes
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { applyStep, readRecipe } from './contributing.recipe.js';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PACKAGE = 'libs/payments/';

const TSCONFIG = {
  extends: join(ROOT, 'tsconfig.json'),
  compilerOptions: {
    noEmit: false,
    customConditions: [],
    rootDir: 'src',
    outDir: 'dist',
    declaration: false,
    sourceMap: false,
    types: ['node'],
    typeRoots: ['node_modules/@types'],
  },
  include: ['src'],
  exclude: ['src/**/*.spec.ts', 'src/testing'],
};

/** The bodies of the creates, by id. */
const created = new Map<string, { voucher_text?: string }>();

/** Returns a platform with test vouchers only. */
function platform(): Server {
  return createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const answer = (status: number, json: unknown, headers = {}): void => {
        response.writeHead(status, { 'content-type': 'application/json', ...headers });
        response.end(JSON.stringify(json));
      };
      const path = request.url ?? '';
      const id = path.replace('/api/v1/test_vouchers/', '');
      if (path === '/oauth/token') {
        answer(200, { access_token: 'token', token_type: 'Bearer', expires_in: 3600 });
      } else if (request.method === 'POST' && path === '/api/v1/test_vouchers') {
        const next = `voucher-${created.size + 1}`;
        created.set(next, JSON.parse(body) as object);
        answer(201, {}, { location: `http://${request.headers.host}${path}/${next}` });
      } else if (created.has(id)) {
        const attributes = { status: 'Active', ...created.get(id) };
        answer(200, { data: { id, type: 'test_voucher', attributes } });
      } else answer(404, {});
    });
  });
}

const server = platform();
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const scratch = await mkdtemp(join(tmpdir(), 'tillkit-recipe-'));

/** Follows a recipe and compiles the result. Resolves with the languages of its steps. */
async function follow(title: string): Promise<string[]> {
  const steps = readRecipe(await readFile(join(ROOT, 'CONTRIBUTING.md'), 'utf8'), title);
  for (const step of steps) {
    const file = join(scratch, step.path.slice(PACKAGE.length));
    const source = await readFile(file, 'utf8').catch(() => null);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, applyStep(step, source));
  }
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  const problems = await run(process.execPath, [compiler, '-p', scratch]).then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  );
  assert.equal(problems, '');
  // The compiler copies no CommonJS of ours; the build does.
  await cp(join(scratch, 'src'), join(scratch, 'dist'), {
    recursive: true,
    filter: (path) => !path.endsWith('.ts'),
  });
  return steps.map(({ language }) => language);
}

/** Runs a script beside the compiled sources. */
async function call(script: string): Promise<unknown> {
  const { port } = server.address() as AddressInfo;
  await cp(join(import.meta.dirname, script), join(scratch, script));
  const { stdout } = await run(process.execPath, [script, `http://127.0.0.1:${port}`], {
    cwd: scratch,
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  return JSON.parse(stdout);
}

try {
  await cp(join(ROOT, PACKAGE, 'src'), join(scratch, 'src'), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(scratch, 'node_modules'));
  await writeFile(join(scratch, 'package.json'), JSON.stringify({ type: 'module' }));
  await writeFile(join(scratch, 'tsconfig.json'), JSON.stringify(TSCONFIG));

  const resource = await follow('add a resource');
  assert.deepEqual(resource, ['ts', 'diff', 'diff', 'diff', 'diff']);
  assert.deepEqual(await call('call-test-vouchers.mjs'), {
    isRefused: true,
    voucher: { id: 'voucher-1', status: 'Active', text: 'one coffee' },
    type: 'test_voucher',
  });
  console.log('"add a resource" adds a resource that compiles and can be created and read');

  // The second recipe begins where the first one has ended.
  const kind = await follow('add a kind of operation');
  assert.equal(kind.filter((language) => language === 'ts').length, 3);
  const before = created.size;
  assert.deepEqual(await call('call-vouchers.mjs'), {
    isRefused: true,
    isSame: true,
    state: 'succeeded',
    events: ['one tea'],
    history: ['created to requested', 'requested to pending', 'pending to succeeded'],
  });
  assert.equal(created.size, before + 1);
  console.log(
    '"add a kind of operation" adds one that compiles, is sent once for a key, is read, and emits its event',
  );
} finally {
  server.close();
  await rm(scratch, { recursive: true, force: true });
}
