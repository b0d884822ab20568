import ts from 'typescript';

/** Attributes that a person reads, or that CSS shows. */
const READ_ATTRIBUTES = /\b(aria-label|placeholder|title|alt|data-name)="([^"]*)"/g;

/** Properties whose values pages show. */
const SHOWN_PROPERTIES = new Set([
  'title',
  'label',
  'hint',
  'text',
  'summary',
  'detail',
  'description',
  'problem',
]);

/** What stands for a substitution while a template is read. It is no letter. */
const SUBSTITUTION = '\uE000';

/** For engineers, not for operators: logs, the audit log, and errors at the start. */
const FOR_ENGINEERS = /^(logger|audit)$|(Configuration|Type)Error$/;

const SENTENCE = /^['"`](\p{Lu}\p{Ll}*\s+(\p{L}|\$)|\p{L}+\s+\p{L}+\s+\p{L}+)/u;

/**
 * The texts in the source of pages that a translation could not replace, as `line: text`: in templates tagged `html` and in the attributes that
 * people read, and in string literals where a page shows them.
 */
export function literalTexts(source: string): string[] {
  const file = ts.createSourceFile('page.ts', source, ts.ScriptTarget.ES2023, true);
  const found = new Map<number, string>();
  const report = (position: number, text: string): void => {
    found.set(position, text.trim().replace(/\s+/g, ' '));
  };
  const visit = (node: ts.Node): void => {
    if (isHtml(node) && !isInTag(node)) readTemplate(node, report);
    for (const literal of shownBy(node).flatMap(literalsOf)) {
      if (hasLetter(literal.text)) report(literal.position, literal.text);
    }
    if (isSentence(node)) report(node.getStart(), node.getText());
    ts.forEachChild(node, visit);
  };
  visit(file);
  return [...found]
    .toSorted(([one], [other]) => one - other)
    .map(([position, text]) => {
      const { line } = file.getLineAndCharacterOfPosition(position);
      return `${line + 1}: ${text}`;
    });
}

function hasLetter(text: string): boolean {
  return /\p{L}/u.test(text.replace(/&#?\w+;/g, ''));
}

function isHtml(node: ts.Node): node is ts.TaggedTemplateExpression {
  return ts.isTaggedTemplateExpression(node) && node.tag.getText() === 'html';
}

/** The parts of a template between its substitutions, with their positions. */
function chunksOf(template: ts.TemplateLiteral): { text: string; position: number }[] {
  const literals = ts.isNoSubstitutionTemplateLiteral(template)
    ? [template]
    : [template.head, ...template.templateSpans.map(({ literal }) => literal)];
  return literals.map((literal) => ({ text: literal.text, position: literal.getStart() + 1 }));
}

/** Whether a part of a page stands inside a tag, such as `aria-current="page"`: it is an attribute, no text. */
function isInTag(node: ts.Node): boolean {
  for (let at = node; at.parent; at = at.parent) {
    const span = at.parent;
    if (!ts.isTemplateSpan(span) || !isHtml(span.parent.parent)) continue;
    const { head, templateSpans } = span.parent;
    const before = [head, ...templateSpans.map(({ literal }) => literal)]
      .slice(0, templateSpans.indexOf(span) + 1)
      .map(({ text }) => text)
      .join(SUBSTITUTION);
    return before.lastIndexOf('<') > before.lastIndexOf('>');
  }
  return false;
}

function readTemplate(
  { template }: ts.TaggedTemplateExpression,
  report: (position: number, text: string) => void,
): void {
  const chunks = chunksOf(template);
  const whole = chunks.map(({ text }) => text).join(SUBSTITUTION);
  const positionOf = (index: number): number => {
    let start = 0;
    for (const { text, position } of chunks) {
      if (index <= start + text.length) return position + index - start;
      start += text.length + 1;
    }
    return template.getStart();
  };
  for (const { 0: tag, index } of whole.matchAll(/<[^>]*>/g)) {
    for (const { 2: value = '', index: at } of tag.matchAll(READ_ATTRIBUTES)) {
      if (hasLetter(value)) report(positionOf(index + at), value);
    }
  }
  // Tags become as many spaces, so that positions stay.
  const texts = whole.replace(/<[^>]*>/g, (tag) => ' '.repeat(tag.length));
  for (const { 0: text, index } of texts.matchAll(/[^\s\uE000][^\uE000]*/g)) {
    if (hasLetter(text)) report(positionOf(index), text);
  }
}

/** The expressions in a node whose values a page shows. */
function shownBy(node: ts.Node): ts.Expression[] {
  if (ts.isTemplateSpan(node)) {
    return isHtml(node.parent.parent) && !isInTag(node.expression) ? [node.expression] : [];
  }
  if (ts.isNewExpression(node) && node.expression.getText() === 'PageError') {
    return (node.arguments ?? []).map((argument) => argument);
  }
  if (ts.isCallExpression(node)) return shownByCall(node);
  if (!ts.isPropertyAssignment(node)) return [];
  const name = node.name.getText();
  if (SHOWN_PROPERTIES.has(name)) return [node.initializer];
  // Names that begin with a small letter are codes.
  return name === 'name' && /^['"`]\p{Lu}/u.test(node.initializer.getText())
    ? [node.initializer]
    : [];
}

function shownByCall({ expression, arguments: given }: ts.CallExpression): ts.Expression[] {
  switch (expression.getText()) {
    case 'empty':
    case 'table':
      return given.slice(0, 1);
    case 'page':
      return given.slice(1, 2);
    case 'facts':
      return given.slice(0, 1).flatMap(namesOf);
    default:
      return [];
  }
}

/** The names in a list of names and values. */
function namesOf(list: ts.Node): ts.Expression[] {
  const pairs: ts.Expression[] = [];
  const visit = (node: ts.Node): void => {
    const isPair = ts.isArrayLiteralExpression(node) && node.elements.length === 2;
    if (isPair && node.elements[0]) pairs.push(node.elements[0]);
    else ts.forEachChild(node, visit);
  };
  visit(list);
  return pairs;
}

/** The string literals that an expression can have as its value. */
function literalsOf(expression: ts.Expression): { text: string; position: number }[] {
  if (ts.isStringLiteral(expression)) {
    return [{ text: expression.text, position: expression.getStart() }];
  }
  if (ts.isTemplateLiteral(expression)) return chunksOf(expression);
  if (ts.isConditionalExpression(expression)) {
    return [expression.whenTrue, expression.whenFalse].flatMap(literalsOf);
  }
  if (ts.isBinaryExpression(expression)) {
    const isChoice = /^(&&|\|\||\?\?|\+)$/.test(expression.operatorToken.getText());
    return isChoice ? [expression.left, expression.right].flatMap(literalsOf) : [];
  }
  if (ts.isParenthesizedExpression(expression)) return literalsOf(expression.expression);
  if (ts.isArrowFunction(expression) && !ts.isBlock(expression.body)) {
    return literalsOf(expression.body);
  }
  if (ts.isObjectLiteralExpression(expression)) {
    return expression.properties.flatMap((property) =>
      ts.isPropertyAssignment(property) ? literalsOf(property.initializer) : [],
    );
  }
  return [];
}

/** A sentence or a phrase, wherever it stands, unless engineers read it: three words, or two of which the first has a capital letter. */
function isSentence(node: ts.Node): boolean {
  const isLiteral =
    ts.isStringLiteral(node) || (ts.isTemplateLiteral(node) && !isHtml(node.parent));
  if (!isLiteral || !SENTENCE.test(node.getText())) return false;
  if (ts.isPropertyAssignment(node.parent) && node.parent.name === node) return false;
  for (let at: ts.Node = node; at.parent; at = at.parent) {
    if (!ts.isCallExpression(at) && !ts.isNewExpression(at)) continue;
    const names = at.expression.getText().split('.');
    if (names.some((name) => FOR_ENGINEERS.test(name))) return false;
  }
  return !isInTag(node);
}
