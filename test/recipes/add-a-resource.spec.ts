import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
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

/** A platform with test vouchers only. */
function platform(): Server {
  const created = new Map<string, unknown>();
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
      if (path === '/oauth/token') {
        answer(200, { access_token: 'token', token_type: 'Bearer', expires_in: 3600 });
      } else if (request.method === 'POST' && path === '/api/v1/test_vouchers') {
        created.set('voucher-1', JSON.parse(body));
        answer(201, {}, { location: `http://${request.headers.host}${path}/voucher-1` });
      } else if (created.has(path.replace('/api/v1/test_vouchers/', ''))) {
        const attributes = { status: 'Active', ...(created.get('voucher-1') as object) };
        answer(200, { data: { id: 'voucher-1', type: 'test_voucher', attributes } });
      } else answer(404, {});
    });
  });
}

describe('the recipe "add a resource" of CONTRIBUTING.md', () => {
  const server = platform();
  let scratch: string;

  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    scratch = await mkdtemp(join(tmpdir(), 'tillkit-recipe-'));
    await cp(join(ROOT, PACKAGE, 'src'), join(scratch, 'src'), { recursive: true });
    await symlink(join(ROOT, 'node_modules'), join(scratch, 'node_modules'));
    await writeFile(join(scratch, 'package.json'), JSON.stringify({ type: 'module' }));
    await writeFile(join(scratch, 'tsconfig.json'), JSON.stringify(TSCONFIG));
  });

  afterAll(async () => {
    await new Promise((resolve) => server.close(resolve));
    await rm(scratch, { recursive: true, force: true });
  });

  it('adds a resource that compiles and can be created and read', async () => {
    const markdown = await readFile(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
    const steps = readRecipe(markdown, 'add a resource');
    expect(steps.map(({ language }) => language).sort()).toEqual([
      'diff',
      'diff',
      'diff',
      'ts',
      'ts',
      'ts',
    ]);
    for (const step of steps) {
      const file = join(scratch, step.path.slice(PACKAGE.length));
      const source = await readFile(file, 'utf8').catch(() => null);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, applyStep(step, source));
    }
    await compile();
    const { port } = server.address() as AddressInfo;
    await cp(join(import.meta.dirname, 'call-test-vouchers.mjs'), join(scratch, 'call.mjs'));
    const { stdout } = await run(process.execPath, ['call.mjs', `http://127.0.0.1:${port}`], {
      cwd: scratch,
      env: { ...process.env, NODE_OPTIONS: '' },
    });
    expect(JSON.parse(stdout)).toEqual({
      isRefused: true,
      voucher: { id: 'voucher-1', status: 'Active', text: 'one coffee' },
      type: 'test_voucher',
    });
  }, 120_000);

  const compile = async (): Promise<void> => {
    const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
    const arguments_ = [compiler, '-p', scratch];
    const problems = await run(process.execPath, arguments_).then(
      () => '',
      ({ stdout }: { stdout: string }) => stdout,
    );
    expect(problems).toBe('');
  };
});
