/** One step of a recipe: a new file, or lines to change in an existing file. */
export interface RecipeStep {
  readonly path: string;
  readonly language: 'ts' | 'diff';
  readonly code: string;
}

/**
 * Reads the steps of a recipe in CONTRIBUTING.md: each block of code belongs to the last path that is named in backticks and
 * followed by a colon before it.
 * @throws Error when there is no such recipe, or a block without a path
 */
export function readRecipe(markdown: string, title: string): RecipeStep[] {
  const section = markdown.split(/^## /m).find((text) => text.startsWith(`Recipe: ${title}\n`));
  if (!section) throw new Error(`CONTRIBUTING.md has no recipe "${title}"`);
  let path: string | undefined;
  const steps: RecipeStep[] = [];
  for (const [, named, language, code] of section.matchAll(
    /`(libs\/[^`]+)`:$|^```(ts|diff)\n([^]*?)^```$/gm,
  )) {
    if (named) path = named;
    else if (path) steps.push({ path, language: language as 'ts' | 'diff', code: code as string });
    else throw new Error(`the recipe "${title}" names no file for its first block`);
  }
  return steps;
}

/**
 * Returns the file after a step.
 * @throws Error when the context lines of the diff are not in the file exactly once
 */
export function applyStep({ path, language, code }: RecipeStep, source: string | null): string {
  if (language === 'ts') {
    if (source !== null) throw new Error(`the recipe creates ${path}, but that file exists`);
    return code;
  }
  const lines = code.split('\n').slice(0, -1);
  const before = lines.filter((line) => !line.startsWith('+')).map((line) => `${line.slice(1)}\n`);
  const after = lines.filter((line) => !line.startsWith('-')).map((line) => `${line.slice(1)}\n`);
  const parts = (source ?? '').split(`\n${before.join('')}`);
  if (parts.length !== 2) {
    throw new Error(
      `the recipe does not fit ${path} any more. These lines must be in it exactly once, but are in it ${parts.length - 1} times:\n${before.join('')}`,
    );
  }
  return parts.join(`\n${after.join('')}`);
}
