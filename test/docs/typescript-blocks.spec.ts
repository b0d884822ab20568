import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import { codeBlocks, PAGES, ROOT, type CodeBlock } from './markdown.code.js';

const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  customConditions: ['@tillkit/source'],
  lib: ['lib.es2023.d.ts'],
  types: ['node'],
  strict: true,
  experimentalDecorators: true,
  emitDecoratorMetadata: true,
  esModuleInterop: true,
  skipLibCheck: true,
  noEmit: true,
};

/** A block as a file of its own, in front of which stands what its page leaves out. */
interface Source {
  readonly block: CodeBlock;
  readonly path: string;
  readonly text: string;
  /** The number of lines of the text that come before the block. */
  readonly linesBefore: number;
}

/** `libs/postgres/README.md` has the prelude `preludes/libs-postgres-README.ts`. */
function preludeOf(page: string): string {
  const name = page.startsWith('libs/') ? page.replaceAll('/', '-') : basename(page);
  return join(import.meta.dirname, 'preludes', name.replace(/\.md$/, '.ts'));
}

function parse(text: string): ts.SourceFile {
  return ts.createSourceFile('block.ts', text, ts.ScriptTarget.ES2023);
}

function namesExportedBy(file: ts.SourceFile): string[] {
  return file.statements.flatMap((statement) => {
    if (ts.isExportDeclaration(statement)) {
      const { exportClause } = statement;
      return exportClause && ts.isNamedExports(exportClause)
        ? exportClause.elements.map(({ name }) => name.text)
        : [];
    }
    const isExported =
      ts.canHaveModifiers(statement) &&
      ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
    return isExported ? namesDeclaredBy(statement) : [];
  });
}

function namesDeclaredBy(statement: ts.Statement): string[] {
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.flatMap(({ name }) =>
      ts.isIdentifier(name) ? [name.text] : [],
    );
  }
  if (ts.isClassDeclaration(statement) || ts.isInterfaceDeclaration(statement)) {
    return statement.name ? [statement.name.text] : [];
  }
  if (ts.isImportDeclaration(statement)) {
    const bindings = statement.importClause?.namedBindings;
    return bindings && ts.isNamedImports(bindings)
      ? bindings.elements.map(({ name }) => name.text)
      : [];
  }
  return [];
}

/** Returns the block as it would stand in a file: a module as it is, statements in a function, methods in a class. */
function wrapped(text: string): [before: string, after: string] {
  const file = parse(text);
  // The compiler does not publish the syntax errors of a file without a program.
  const { parseDiagnostics } = file as ts.SourceFile & { parseDiagnostics: readonly unknown[] };
  if (parseDiagnostics.length > 0) return ['export class Example extends Host {', '}'];
  return file.statements.some(ts.isClassDeclaration) || file.statements.some(ts.isImportDeclaration)
    ? ['', '']
    : ['export async function example() {', '}'];
}

function sourceOf(block: CodeBlock): Source {
  const { page, line, text } = block;
  const prelude = preludeOf(page);
  const [before, after] = wrapped(text);
  const used = `${before}\n${text}`;
  const declared = new Set(parse(text).statements.flatMap(namesDeclaredBy));
  const left = existsSync(prelude)
    ? namesExportedBy(parse(readFileSync(prelude, 'utf8'))).filter(
        (name) => !declared.has(name) && new RegExp(`\\b${name}\\b`).test(used),
      )
    : [];
  const imports =
    left.length > 0
      ? `import { ${left.join(', ')} } from '${prelude.replace(/\.ts$/, '.js')}';`
      : '';
  const lead = `${imports}\n${before}\n`;
  return {
    block,
    path: join(ROOT, 'test/docs', `${page.replaceAll('/', '-')}.${line}.ts`),
    text: `${lead}${text}\n${after}\nexport {};\n`,
    linesBefore: lead.split('\n').length - 1,
  };
}

/** Returns the errors of each block, as `page:line: message`. */
function compile(blocks: readonly CodeBlock[]): string[] {
  const sources = new Map(blocks.map(sourceOf).map((source) => [source.path, source]));
  const host = ts.createCompilerHost(OPTIONS);
  const { fileExists, readFile } = host;
  host.fileExists = (path) => sources.has(path) || fileExists(path);
  host.readFile = (path) => sources.get(path)?.text ?? readFile(path);
  const program = ts.createProgram([...sources.keys()], OPTIONS, host);
  return [...sources.values()].flatMap(({ path, block, linesBefore }) => {
    const file = program.getSourceFile(path);
    return ts
      .getPreEmitDiagnostics(program, file)
      .map(({ file: where, start = 0, messageText }) => {
        const { line } = where?.getLineAndCharacterOfPosition(start) ?? { line: 0 };
        const message = ts.flattenDiagnosticMessageText(messageText, '\n');
        return `${block.page}:${line - linesBefore + block.line}: ${message}`;
      });
  });
}

// The code of that page is copied from tests, which npm run lint compiles with the libraries: see databases.spec.ts.
const blocks = PAGES.filter((page) => page !== 'docs/databases.md')
  .flatMap(codeBlocks)
  .filter(({ language }) => language === 'ts');

describe('the TypeScript of README, guide and package pages', () => {
  it('is found in the pages that promise it', () => {
    const pages = new Set(blocks.map(({ page }) => page));
    expect([...pages]).toEqual(
      expect.arrayContaining(['README.md', 'docs/guide.md', 'libs/postgres/README.md']),
    );
  });

  it('compiles with --strict, each block for itself', () => {
    expect(compile(blocks)).toEqual([]);
  });

  it('does not compile when it reads a field that an event does not have', () => {
    const text = `@OnPaymentEvent('payment.succeeded')\npaid({ money }: PaymentsEvents['payment.succeeded']) {}`;
    const wrong = { page: 'docs/events.md', language: 'ts', line: 10, text };
    expect(compile([wrong])).toEqual([
      expect.stringMatching(/^docs\/events\.md:11: Property 'money' does not exist/),
    ]);
  });
});
