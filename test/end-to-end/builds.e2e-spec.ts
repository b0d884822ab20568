import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { build, type BuildOptions } from 'esbuild';
import ts from 'typescript';
import { freshDatabase, type TestDatabase } from '../contracts/test-database.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const HOOKS = join(ROOT, 'test/support/typescript.register.mjs');

/** An application of a host, as far as builds change it. */
const SOURCE = `
import 'reflect-metadata';
import { Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { OnPaymentEvent, PaymentsModule, PaymentsService, type PaymentsEvents } from '@tillkit/payments';
import { PostgresStoreModule } from '@tillkit/postgres';

@Injectable()
class Orders {
  constructor(readonly payments: PaymentsService) {}

  @OnPaymentEvent('payment.succeeded', OPTIONS)
  paid(_event: PaymentsEvents['payment.succeeded']): void {}
}

@Module({
  imports: [
    PostgresStoreModule.forRoot(),
    PaymentsModule.forRoot({
      baseUrl: 'http://127.0.0.1:9', clientId: 'id', clientSecret: 'secret',
      publicUrl: 'http://127.0.0.1:3000', apiKeys: ['an-api-key-of-the-portal'], reconciliation: false,
    }),
  ],
  providers: [Orders],
})
class App {}

const app = await NestFactory.createApplicationContext(App, { logger: false, abortOnError: false });
console.log('started with ' + typeof app.get(Orders).payments.request + ' in ' + Orders.name);
await app.close();
`;

const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  experimentalDecorators: true,
  emitDecoratorMetadata: true,
};

const BUNDLE: BuildOptions = {
  bundle: true,
  packages: 'external',
  format: 'esm',
  platform: 'node',
  target: 'node20',
  write: false,
  logLevel: 'silent',
  // An answer of its own to each build, not the one of this repository.
  tsconfigRaw: { compilerOptions: { experimentalDecorators: true } },
};

describe('An application that is built', () => {
  let folder: string;
  let database: TestDatabase;

  beforeAll(async () => {
    // Below the repository, so that Node finds its packages.
    mkdirSync(join(ROOT, 'dist'), { recursive: true });
    folder = mkdtempSync(join(ROOT, 'dist/builds-'));
    database = await freshDatabase();
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await database.drop();
  });

  const source = (options = {}): string => SOURCE.replace('OPTIONS', JSON.stringify(options));
  const byTsc = (text: string): string =>
    ts.transpileModule(text, { compilerOptions: OPTIONS }).outputText;
  const byEsbuild = async (
    contents: string,
    loader: 'ts' | 'js',
    more: BuildOptions = {},
  ): Promise<string> => {
    const stdin = { contents, loader, resolveDir: folder };
    const { outputFiles } = await build({ ...BUNDLE, ...more, stdin });
    return outputFiles![0]!.text;
  };

  /** Runs it in a process of its own, on the packages that this file tests. Resolves with what it prints. */
  const run = async (built: string): Promise<string> => {
    const path = join(folder, 'main.mjs');
    writeFileSync(path, built);
    const onSources =
      process.env['TEST_TARGET'] === 'dist'
        ? []
        : ['--conditions=@tillkit/source', '--import', HOOKS];
    const program = spawn(process.execPath, [...onSources, path], {
      env: { ...process.env, NODE_OPTIONS: '', PAYMENTS_DATABASE_URL: database.url },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [program.stdout, program.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    await once(program, 'close');
    return output;
  };

  it('by tsc has the ids of its source, and those of a bundle of the same output are refused, unless the id is written', async () => {
    expect(await run(byTsc(source()))).toBe('started with function in Orders\n');
    const bundle = await byEsbuild(byTsc(source()), 'js');
    expect(await run(bundle)).toMatch(
      /PaymentsConfigurationError: .*\n.*the listener Orders2\.paid of payment\.succeeded is new, and Orders\.paid.* \{ id: 'Orders\.paid' \}/,
    );
    const cured = await byEsbuild(byTsc(source({ id: 'Orders.paid' })), 'js');
    expect(await run(cured)).toBe('started with function in Orders2\n');
    expect(await run(byTsc(source()))).toBe('started with function in Orders\n');
  });

  it('and minified is refused, because the name of the class may be that of another one in the next build', async () => {
    const minified = await byEsbuild(byTsc(source()), 'js', { minify: true });
    expect(await run(minified)).toMatch(
      /the listener "\w{1,2}\.paid" of payment\.succeeded has an id that another build may give/,
    );
    const cured = await byEsbuild(byTsc(source({ id: 'Orders.paid' })), 'js', { minify: true });
    expect(await run(cured)).toMatch(/^started with function in \w{1,2}\n$/);
  });

  it('by esbuild from TypeScript is refused, because nothing says what to inject', async () => {
    expect(await run(await byEsbuild(source(), 'ts'))).toMatch(
      /the class Orders has listeners, and its constructor would get undefined as parameter 1: .*esbuild.*@Inject\(PaymentsService\)/,
    );
  });

  it('with standard decorators is refused where the first listener is decorated', async () => {
    const standard = source().replace('readonly payments: PaymentsService', '');
    const built = await byEsbuild(standard, 'ts', { tsconfigRaw: {} });
    expect(await run(built)).toMatch(
      /@OnPaymentEvent\('payment\.succeeded'\) of paid is compiled as a standard decorator/,
    );
  });
});
