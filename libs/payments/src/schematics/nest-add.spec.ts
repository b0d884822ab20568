import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import vm from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';

type NestAdd = (options: object) => (tree: object, context: object) => object;

const HEAD = "import { Module } from '@nestjs/common';\n";

/** Returns the schematic as the Nest CLI loads it: CommonJS. */
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

/** Returns the root module after so many runs. */
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

/** Returns the compiler's complaints about names that are declared twice and text that is no TypeScript. */
function problems(text: string): string[] {
  const file = ts.createSourceFile('a.ts', text, ts.ScriptTarget.ES2022, true);
  const options = { noLib: true, noResolve: true, experimentalDecorators: true };
  const program = ts.createProgram(['a.ts'], options, {
    ...ts.createCompilerHost({}),
    getSourceFile: (name) => (name === 'a.ts' ? file : undefined),
  });
  const twice = program
    .getSemanticDiagnostics(file)
    .filter(({ code }) => [2300, 2395, 2440, 2451].includes(code));
  return [...program.getSyntacticDiagnostics(file), ...twice].map(({ messageText }) =>
    JSON.stringify(messageText),
  );
}

const ROOT = '@Module({ imports: [] })\nexport class AppModule {}\n';

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
    'refuses a list that it cannot change, such as %s',
    (list) => {
      expect(() => added(`@Module({ ${list} })\nexport class AppModule {}\n`)).toThrow(
        /"imports" of the root module is no list that can be changed. Add ConfigModule.forRoot\(\) by hand/,
      );
    },
  );

  it('refuses a list that it cannot read when the root module imports an entry and does not use it', () => {
    const line = "import { ConfigModule } from '@nestjs/config';";
    expect(() =>
      added(`${line}\n@Module({ imports: common })\nexport class AppModule {}\n`),
    ).toThrow(/Add ConfigModule.forRoot\(\) by hand/);
  });

  it('refuses a file without a root module', () => {
    expect(() => added('export const nothing = 1;\n')).toThrow(/has no class with @Module/);
  });

  it.each([
    "import PaymentsModule from './payments/payments.module';",
    "import PaymentsModule, { other } from './payments/payments.module';",
    "import { X as PaymentsModule } from './x';",
    "import * as PaymentsModule from './x';",
    "import PaymentsModule = require('./x');",
    "import type { PaymentsModule } from '@tillkit/payments';",
    "import { type PaymentsModule } from '@tillkit/payments';",
    'const PaymentsModule = class {};',
    'const { one: [PaymentsModule] } = all;',
    'let PaymentsModule: unknown;',
    'function PaymentsModule() {}',
    'class PaymentsModule {}',
    'enum PaymentsModule {}',
    'interface PaymentsModule {}',
    'type PaymentsModule = string;',
    'namespace PaymentsModule { export const x = 1; }',
    'declare class PaymentsModule {}',
  ])('gives its module another name beside %s', (taken) => {
    const module = `${taken}\n${ROOT}`;
    const after = added(module);
    expect(problems(after)).toEqual([]);
    expect(after).toContain(
      "import { PaymentsModule as TillkitPaymentsModule } from '@tillkit/payments';",
    );
    expect(after).toContain('imports: [ConfigModule.forRoot(), TillkitPaymentsModule.forRoot()]');
    expect(added(module, 2)).toBe(after);
  });

  it.each([
    [
      'ConfigModule',
      '@nestjs/config',
      'imports: [ConfigModule.forRoot(), PaymentsModule.forRoot()]',
    ],
    [
      'PaymentsModule',
      '@tillkit/payments',
      'imports: [ConfigModule.forRoot(), PaymentsModule.forRoot()]',
    ],
    [
      'PaymentsModule as Ours',
      '@tillkit/payments',
      'imports: [ConfigModule.forRoot(), Ours.forRoot()]',
    ],
    ['PaymentsListener', './payments.listener', 'providers: [PaymentsListener]'],
  ])(
    'adds %s, which the root module imports and does not use, without a second import',
    (name, from, entry) => {
      const line = `import { ${name} } from '${from}';`;
      const module = `${line}\n${ROOT}`;
      const after = added(module);
      expect(problems(after)).toEqual([]);
      expect(after).toContain(entry);
      expect(after.split(`from '${from}'`)).toHaveLength(2);
      expect(after).toContain(line);
      expect(added(module, 2)).toBe(after);
    },
  );

  it('adds ConfigModule to a root module that only gives it to another module', () => {
    const other = 'HttpModule.registerAsync({ imports: [ConfigModule] })';
    const module = `import { ConfigModule } from '@nestjs/config';\n@Module({ imports: [${other}] })\nexport class AppModule {}\n`;
    expect(added(module)).toContain(`imports: [${other}, ConfigModule.forRoot(), Payments`);
  });

  it.each([
    '[PaymentsModule]',
    '[PaymentsModule.forRoot({}) as DynamicModule]',
    '[...(isShop ? [PaymentsModule.forRootAsync({})] : [])]',
    "[ConditionalModule.registerWhen(PaymentsModule.forRoot(), 'SHOP')]",
    '[...((isShop && [PaymentsModule.forAccounts({})]) || [])]',
  ])('adds no second module where imports is %s', (list) => {
    const module = `import { PaymentsModule } from '@tillkit/payments';\n@Module({ imports: ${list} })\nexport class AppModule {}\n`;
    const after = added(module);
    expect(problems(after)).toEqual([]);
    expect(after).toContain(`imports: ${list.slice(0, -1)}, ConfigModule.forRoot()]`);
  });

  it('leaves a list that it cannot read to a root module that uses all entries', () => {
    const imports = [
      "import { ConfigModule } from '@nestjs/config';",
      "import { PaymentsModule } from '@tillkit/payments';",
      'const common = [ConfigModule.forRoot(), PaymentsModule.forRoot()];',
    ];
    const after = added(
      `${imports.join('\n')}\n@Module({ imports: common })\nexport class AppModule {}\n`,
    );
    expect(after).toContain('imports: common }');
    expect(after).toContain('providers: [PaymentsListener]');
  });

  it.each([
    [
      'a comma',
      '@Module({ ...base, imports: [A,] })',
      'imports: [A, ConfigModule.forRoot(), Payments',
    ],
    [
      'a comment',
      '@Module({ imports: [A // last\n] })',
      'imports: [A, ConfigModule.forRoot(), PaymentsModule.forRoot() // last',
    ],
  ])('adds its modules behind the last one, which has %s after it', (_, decorator, entries) => {
    const after = added(`${decorator}\nexport class AppModule {}\n`);
    expect(problems(after)).toEqual([]);
    expect(after).toContain(entries);
  });
});
