import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import vm from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';

type NestAdd = (options: object) => (tree: object, context: object) => object;

const HEAD = "import { Module } from '@nestjs/common';\n";

/** The schematic as the Nest CLI loads it: CommonJS. */
function loaded(): NestAdd {
  const path = new URL('nest-add.cts', import.meta.url);
  const { outputText } = ts.transpileModule(readFileSync(path, 'utf8'), {
    compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 },
  });
  const exported: { nestAdd?: NestAdd } = {};
  const run = vm.runInThisContext(`(function (exports, require, __dirname) {${outputText}\n})`) as (
    ...args: unknown[]
  ) => void;
  run(exported, createRequire(import.meta.url), process.cwd());
  return exported.nestAdd as NestAdd;
}

/** The root module after so many runs. */
function added(module: string, runs = 1): string {
  const files = new Map([
    ['package.json', '{"dependencies":{"@nestjs/core":"^11.0.0"}}'],
    ['src/app.module.ts', `${HEAD}${module}`],
  ]);
  const tree = {
    exists: (path: string) => files.has(path),
    read: (path: string) => Buffer.from(files.get(path) ?? ''),
    create: (path: string, text: string) => files.set(path, text),
    overwrite: (path: string, text: string) => files.set(path, text),
  };
  const context = { logger: { info: () => {} }, addTask: () => {} };
  for (let run = 0; run < runs; run += 1) loaded()({})(tree, context);
  return files.get('src/app.module.ts') as string;
}

describe('nest add', () => {
  it.each([
    ['without arrays', '@Module({})\nexport class AppModule {}\n'],
    ['with a quoted key', "@Module({ 'imports': [HttpModule] })\nexport class AppModule {}\n"],
    [
      'that has a module of our name',
      "import { PaymentsModule } from './payments/payments.module';\n@Module({ imports: [PaymentsModule] })\nexport class AppModule {}\n",
    ],
    [
      'that is of our name',
      '@Module({ imports: [] })\nclass PaymentsModule {}\n@Module({})\nexport class AppModule {}\n',
    ],
    [
      'that speaks of ConfigModule in a comment',
      '// ConfigModule\n@Module({ imports: [] })\nexport class AppModule {}\n',
    ],
  ])('adds its modules to a root module %s, once', (_, module) => {
    const after = added(module);
    const local = module.includes('PaymentsModule') ? 'TillkitPaymentsModule' : 'PaymentsModule';
    const imported = local === 'PaymentsModule' ? local : `PaymentsModule as ${local}`;
    expect(after).toContain(`import { ${imported} } from '@tillkit/payments';`);
    expect(after).toContain(`${local}.forRoot()`);
    expect(after).toContain('ConfigModule.forRoot()');
    const { diagnostics } = ts.transpileModule(after, {
      reportDiagnostics: true,
      compilerOptions: { experimentalDecorators: true },
    });
    expect(diagnostics).toEqual([]);
    expect(after.match(/imports'?:/g)).toHaveLength(1);
    expect(added(module, 2)).toBe(after);
  });

  it('leaves a module of ours that is there', () => {
    const module =
      "import { PaymentsModule } from '@tillkit/payments';\n@Module({ imports: [PaymentsModule.forRootAsync({})] })\nexport class AppModule {}\n";
    expect(added(module)).not.toContain('PaymentsModule.forRoot()');
  });

  it.each(['imports', 'imports: [...common].filter(Boolean)'])(
    'refuses a list that it cannot change: %s',
    (list) => {
      expect(() => added(`@Module({ ${list} })\nexport class AppModule {}\n`)).toThrow(
        /"imports" of the root module is no list that can be changed. Add ConfigModule.forRoot\(\) by hand/,
      );
    },
  );

  it('refuses a file without a root module', () => {
    expect(() => added('export const nothing = 1;\n')).toThrow(/has no class with @Module/);
  });
});
