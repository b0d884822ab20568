/**
 * `nest add @tillkit/payments`: adds the module to the root module, a listener, an `.env` with its `.env.example`, the packages that it needs, and the
 * line that Jest needs. A second run changes nothing. CommonJS, because the Nest CLI loads schematics with `require`. It uses the compiler of the host's project.
 */
import type * as Compiler from 'typescript';

/** The files of the host, as the Nest CLI gives them: what is written here is stored only if nothing throws. */
interface Tree {
  exists(path: string): boolean;
  read(path: string): Buffer | null;
  create(path: string, content: string): void;
  overwrite(path: string, content: string): void;
}

interface Context {
  logger: { info(text: string): void };
  addTask(task: { toConfiguration(): object }): unknown;
}

interface Options {
  sourceRoot?: string;
  module?: string;
}

interface Manifest {
  type?: string;
  jest?: object;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

/** An identifier for an array of `@Module()`, where it comes from, and what is called on it. */
interface Entry {
  array: 'imports' | 'providers';
  name: string;
  call: string;
  from: string;
}

/** Each major version of NestJS needs these versions. Those of 12 also work with later ones. */
const PEERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '11': {
    '@nestjs/axios': '^4.0.1',
    '@nestjs/config': '^4.0.2',
    '@nestjs/event-emitter': '^3.0.1',
  },
  '12': {
    '@nestjs/axios': '^12.0.1',
    '@nestjs/config': '^12.0.1',
    '@nestjs/event-emitter': '^12.0.1',
  },
};
const SHARED = { axios: '^1.18.0', 'class-transformer': '^0.5.1', 'class-validator': '^0.15.1' };

const ENVIRONMENT = `# Payments: see https://www.npmjs.com/package/@tillkit/payments. These values are those of the simulator:
# npx @tillkit/simulator --port 4010
PAYMENTS_BASE_URL=http://127.0.0.1:4010
PAYMENTS_CLIENT_ID=simulator-client-id
PAYMENTS_CLIENT_SECRET=simulator-client-secret
# The key with which the platform signs deliveries.
PAYMENTS_API_KEYS=simulator-api-key
# Where the platform reaches this application.
PAYMENTS_PUBLIC_URL=http://127.0.0.1:3000
PAYMENTS_TILL_NUMBER=514459
PAYMENTS_DEFAULT_COUNTRY=KE
# Without it, payments are kept in memory and lost at a restart: see @tillkit/postgres.
# PAYMENTS_DATABASE_URL=postgres://user:password@localhost:5432/shop
`;

const LISTENER = `import { Injectable, Logger } from '@nestjs/common';
import { OnPaymentEvent, PaymentsService } from '@tillkit/payments';
import type { Payment, PaymentsEvents } from '@tillkit/payments';

/** Asks customers for payments, and hears what became of them. */
@Injectable()
export class PaymentsListener {
  private readonly logger = new Logger(PaymentsListener.name);

  constructor(private readonly payments: PaymentsService) {}

  /** The same key never asks twice: build it from your order. */
  checkout(order: string, phoneNumber: string): Promise<Payment> {
    return this.payments.request({
      idempotencyKey: \`order-\${order}-1\`,
      subscriber: { firstName: 'Jane', lastName: 'Doe', phoneNumber },
      amount: { currency: 'KES', value: '100.00' },
    });
  }

  @OnPaymentEvent('payment.succeeded')
  paid({ payment, transaction }: PaymentsEvents['payment.succeeded']): void {
    this.logger.log(\`\${payment.idempotencyKey} is paid: \${transaction.reference}\`);
  }

  @OnPaymentEvent('payment.failed')
  failed({ payment, reason }: PaymentsEvents['payment.failed']): void {
    this.logger.log(\`\${payment.idempotencyKey} is not paid: \${reason}\`);
  }

  /** The evidence contradicts itself, or none came: a person must look, and call payments.resolve(). */
  @OnPaymentEvent('payment.needs_review')
  doubtful({ payment, cause }: PaymentsEvents['payment.needs_review']): void {
    this.logger.warn(\`\${payment.idempotencyKey} needs review: \${cause}\`);
  }
}
`;

/** Jest in a CommonJS project does not transform packages, and these are ES modules. */
const JEST = {
  transformIgnorePatterns: ['/node_modules/(?!(@tillkit|@nestjs/(axios|config|event-emitter))/)'],
};

const NEXT_STEPS = `
Next:
  1. Start a platform to develop against: npx @tillkit/simulator --port 4010
  2. FIRST, then start your application. One error names every setting that is missing or wrong.
  3. Ask for a payment: see src/payments.listener.ts.
`;

/** Runs for `nest add @tillkit/payments`. */
export function nestAdd({ sourceRoot = 'src', module = 'app.module.ts' }: Options) {
  return (tree: Tree, context: Context): Tree => {
    const modulePath = `${sourceRoot}/${module}`;
    const source = text(tree, modulePath);
    if (source === null) {
      throw new Error(
        `There is no ${modulePath}. Name the file of your root module: nest add @tillkit/payments --module=main.module.ts`,
      );
    }
    const suffix = endsImportsWithJs(tree, source) ? '.js' : '';
    const changed = withEntries(source, modulePath, [
      { array: 'imports', name: 'ConfigModule', call: '.forRoot()', from: '@nestjs/config' },
      { array: 'imports', name: 'PaymentsModule', call: '.forRoot()', from: '@tillkit/payments' },
      {
        array: 'providers',
        name: 'PaymentsListener',
        call: '',
        from: `./payments.listener${suffix}`,
      },
    ]);
    if (changed !== source) tree.overwrite(modulePath, changed);
    const listener = `${sourceRoot}/payments.listener.ts`;
    if (!tree.exists(listener)) tree.create(listener, LISTENER);
    addEnvironment(tree);
    const isOurs = !tree.exists('.env');
    if (isOurs) tree.create('.env', ENVIRONMENT);
    const first = isOurs ? 'Read .env' : 'Copy what you need from .env.example to .env';
    addPackages(tree, context);
    letJestTransform(tree);
    context.logger.info(NEXT_STEPS.replace('FIRST', first).replace('src/', `${sourceRoot}/`));
    return tree;
  };
}

/** Adds entries to the arrays of `@Module()`, and their imports. What is there already stays. */
function withEntries(source: string, path: string, entries: readonly Entry[]): string {
  const ts = compiler();
  let changed = source;
  for (const entry of entries) {
    const file = ts.createSourceFile(path, changed, ts.ScriptTarget.Latest, true);
    const options = moduleOptions(ts, file);
    if (!options) {
      throw new Error(
        `${path} has no class with @Module({ ... }). Add by hand: imports: [PaymentsModule.forRoot()], from '@tillkit/payments'.`,
      );
    }
    const imported = localName(ts, file, entry);
    if (imported !== undefined && isEntered(ts, options, entry.array, imported)) continue;
    const local = imported ?? (isSaid(ts, file, entry.name) ? `Tillkit${entry.name}` : entry.name);
    const added = withEntry(ts, changed, file, options, entry.array, `${local}${entry.call}`);
    changed = imported === undefined ? withImport(ts, added, file, entry, local) : added;
  }
  return changed;
}

function withEntry(
  ts: typeof Compiler,
  source: string,
  file: Compiler.SourceFile,
  options: Compiler.ObjectLiteralExpression,
  array: Entry['array'],
  entry: string,
): string {
  const property = propertyOf(ts, options, array);
  if (!property) return insert(source, options.getStart(file) + 1, `\n  ${array}: [${entry}],`);
  const list = listOf(ts, property);
  if (!list) {
    throw new Error(
      `"${array}" of the root module is no list that can be changed. Add ${entry} by hand.`,
    );
  }
  const last = list.elements.at(-1);
  return last
    ? insert(source, last.getEnd(), `, ${entry}`)
    : insert(source, list.getStart(file) + 1, entry);
}

/** The key may be quoted, and "imports" alone stands for a variable of that name. */
function propertyOf(
  ts: typeof Compiler,
  options: Compiler.ObjectLiteralExpression,
  array: Entry['array'],
): Compiler.ObjectLiteralElementLike | undefined {
  return options.properties.find(
    ({ name }) =>
      name && (ts.isIdentifier(name) || ts.isStringLiteral(name)) && name.text === array,
  );
}

function listOf(
  ts: typeof Compiler,
  property: Compiler.ObjectLiteralElementLike,
): Compiler.ArrayLiteralExpression | undefined {
  return ts.isPropertyAssignment(property) && ts.isArrayLiteralExpression(property.initializer)
    ? property.initializer
    : undefined;
}

/** Adds an import after the last one: the text before it is the same as in the file. */
function withImport(
  ts: typeof Compiler,
  source: string,
  file: Compiler.SourceFile,
  { name, from }: Entry,
  local: string,
): string {
  const last = file.statements.findLast((statement) => ts.isImportDeclaration(statement));
  const quote = last?.getText(file).includes('"') ? '"' : "'";
  const imported = local === name ? name : `${name} as ${local}`;
  const line = `import { ${imported} } from ${quote}${from}${quote};`;
  return last ? insert(source, last.getEnd(), `\n${line}`) : `${line}\n${source}`;
}

function moduleOptions(
  ts: typeof Compiler,
  file: Compiler.SourceFile,
): Compiler.ObjectLiteralExpression | undefined {
  for (const statement of file.statements) {
    if (!ts.isClassDeclaration(statement)) continue;
    for (const { expression } of ts.getDecorators(statement) ?? []) {
      if (!ts.isCallExpression(expression) || expression.expression.getText(file) !== 'Module')
        continue;
      const [options] = expression.arguments;
      if (options && ts.isObjectLiteralExpression(options)) return options;
    }
  }
  return undefined;
}

/**
 * Returns the name that this file gives to an import. An application may have another declaration of that name, so the import must come from our
 * entry's module. A type cannot be in an array, so its import does not count.
 */
function localName(
  ts: typeof Compiler,
  file: Compiler.SourceFile,
  { name, from }: Entry,
): string | undefined {
  for (const statement of file.statements) {
    if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier))
      continue;
    const source = statement.moduleSpecifier.text;
    const clause = statement.importClause;
    const bindings = clause?.isTypeOnly ? undefined : clause?.namedBindings;
    if (source.replace(/\.js$/, '') !== from.replace(/\.js$/, '')) continue;
    if (!bindings || !ts.isNamedImports(bindings)) continue;
    const found = bindings.elements.find(
      (each) => !each.isTypeOnly && (each.propertyName ?? each.name).text === name,
    );
    if (found) return found.name.text;
  }
  return undefined;
}

/**
 * True when an array of the module has an entry, perhaps on a condition. If we cannot read the array, we assume that it has whatever the file uses.
 */
function isEntered(
  ts: typeof Compiler,
  options: Compiler.ObjectLiteralExpression,
  array: Entry['array'],
  local: string,
): boolean {
  const property = propertyOf(ts, options, array);
  if (!property) return false;
  const list = listOf(ts, property);
  if (list) return list.elements.some((element) => beginsWith(ts, element, local));
  const { statements } = property.getSourceFile();
  return statements.some((each) => !ts.isImportDeclaration(each) && isSaid(ts, each, local));
}

/**
 * True when an element is `Name`, `Name.forRoot()` or the like, or adds one on a condition. A name among its options is given to another module, so
 * it does not count.
 */
function beginsWith(ts: typeof Compiler, node: Compiler.Node, name: string): boolean {
  if (ts.isIdentifier(node)) return node.text === name;
  if (ts.isArrayLiteralExpression(node))
    return node.elements.some((element) => beginsWith(ts, element, name));
  if (ts.isConditionalExpression(node))
    return [node.whenTrue, node.whenFalse].some((each) => beginsWith(ts, each, name));
  if (ts.isBinaryExpression(node))
    return [node.left, node.right].some((each) => beginsWith(ts, each, name));
  // ConditionalModule.registerWhen(Name.forRoot(), 'VARIABLE')
  if (ts.isCallExpression(node) && node.arguments.some((each) => beginsWith(ts, each, name)))
    return true;
  const isLonger =
    ts.isCallExpression(node) ||
    ts.isPropertyAccessExpression(node) ||
    ts.isAsExpression(node) ||
    ts.isSpreadElement(node) ||
    ts.isParenthesizedExpression(node);
  return isLonger && beginsWith(ts, node.expression, name);
}

/** True when the code uses a name anywhere. A second declaration of it could then be an error, so we write none. */
function isSaid(ts: typeof Compiler, node: Compiler.Node, name: string): boolean {
  if (ts.isIdentifier(node)) return node.text === name;
  return ts.forEachChild(node, (child) => isSaid(ts, child, name)) ?? false;
}

function addEnvironment(tree: Tree): void {
  const path = '.env.example';
  const present = text(tree, path);
  if (present === null) tree.create(path, ENVIRONMENT);
  else if (!present.includes('PAYMENTS_BASE_URL'))
    tree.overwrite(path, `${present.replace(/\n*$/, '\n\n')}${ENVIRONMENT}`);
}

function addPackages(tree: Tree, context: Context): void {
  const path = 'package.json';
  const source = text(tree, path);
  if (source === null)
    throw new Error('There is no package.json: run nest add in the folder of your project.');
  const manifest = JSON.parse(source) as Manifest;
  const all = { ...manifest.devDependencies, ...manifest.dependencies };
  const major = /\d+/.exec(all['@nestjs/core'] ?? all['@nestjs/common'] ?? '')?.[0] ?? '12';
  const wanted = { ...(PEERS[major] ?? PEERS['12']), ...SHARED };
  const missing = Object.entries(wanted).filter(([name]) => !(name in all));
  if (missing.length === 0) return;
  const dependencies = { ...manifest.dependencies, ...Object.fromEntries(missing) };
  const sorted = Object.fromEntries(
    Object.entries(dependencies).toSorted(([one], [other]) => one.localeCompare(other)),
  );
  tree.overwrite(path, `${JSON.stringify({ ...manifest, dependencies: sorted }, null, 2)}\n`);
  // These options are those of NodePackageInstallTask of @angular-devkit/schematics, which we do not depend on.
  const options = { command: 'install', workingDirectory: '' };
  context.addTask({ toConfiguration: () => ({ name: 'node-package', options }) });
}

/** Adds the line to the Jest configurations of a new project, if it is CommonJS and they have no such line. */
function letJestTransform(tree: Tree): void {
  const manifest = JSON.parse(text(tree, 'package.json') ?? '{}') as Manifest;
  if (manifest.type === 'module') return;
  const write = (path: string, content: object): void =>
    tree.overwrite(path, `${JSON.stringify(content, null, 2)}\n`);
  if (manifest.jest && !('transformIgnorePatterns' in manifest.jest))
    write('package.json', { ...manifest, jest: { ...manifest.jest, ...JEST } });
  const path = 'test/jest-e2e.json';
  const config = JSON.parse(text(tree, path) ?? 'null') as object | null;
  if (config && !('transformIgnorePatterns' in config)) write(path, { ...config, ...JEST });
}

/** True when relative imports of the project end in `.js`: those of its root module do, or it is a project of ES modules. */
function endsImportsWithJs(tree: Tree, source: string): boolean {
  const relative = /from\s+['"]\.{1,2}\/[^'"]+['"]/.exec(source)?.[0];
  if (relative) return /\.js['"]$/.test(relative);
  return (JSON.parse(text(tree, 'package.json') ?? '{}') as Manifest).type === 'module';
}

function text(tree: Tree, path: string): string | null {
  return tree.exists(path) ? (tree.read(path)?.toString('utf8') ?? null) : null;
}

function insert(source: string, at: number, added: string): string {
  return source.slice(0, at) + added + source.slice(at);
}

/** A Nest project has it. */
function compiler(): typeof Compiler {
  const from = require.resolve('typescript', { paths: [process.cwd(), __dirname] });
  return require(from) as typeof Compiler;
}
