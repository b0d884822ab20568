import { createRequire } from 'node:module';
import { join } from 'node:path';
import { ROOT } from '../../scripts/packages.mjs';

const ts = createRequire(join(ROOT, 'package.json'))('typescript');

/** An interface of a report that gets its fields from a table: `interface Reversal extends Shown<typeof REVERSAL> {}`. */
const FROM_TABLE = /export interface (\w+) extends [^{]*\bShown\w*<typeof [^}]*\n\}/g;
const FORMAT = ts.NodeBuilderFlags.NoTruncation | ts.NodeBuilderFlags.MultilineObjectLiterals;

/**
 * Writes the fields of such interfaces into a report, as those of any other. It would name the table only, and not say when a field has
 * another type or has lost its documentation.
 * @param entry the types that the report is about
 */
export function withFields(report, entry, compilerOptions) {
  const { options } = ts.convertCompilerOptionsFromJson(compilerOptions, ROOT);
  const program = ts.createProgram([entry], options);
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(entry);
  const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(source));
  const aliased = new Map(exported.map((symbol) => [symbol.name, symbol]));
  return report.replace(FROM_TABLE, (_, name) => {
    const declared = checker.getAliasedSymbol(aliased.get(name));
    const fields = checker.getDeclaredTypeOfSymbol(declared).getProperties();
    const sorted = fields.toSorted((one, other) => (one.name < other.name ? -1 : 1));
    const lines = sorted.flatMap((field) => linesOf(field, checker, source));
    return [`export interface ${name} {`, ...lines.map((line) => `    ${line}`), '}'].join('\n');
  });
}

function linesOf(field, checker, source) {
  const type = checker.typeToTypeNode(checker.getTypeOfSymbol(field), undefined, FORMAT);
  const text = ts.createPrinter().printNode(ts.EmitHint.Unspecified, type, source);
  const isDocumented = field.getDocumentationComment(checker).length > 0;
  return [...(isDocumented ? [] : ['// (undocumented)']), ...`${field.name}: ${text};`.split('\n')];
}
