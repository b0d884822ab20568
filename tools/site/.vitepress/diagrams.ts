/** Mermaid becomes SVG when the site is built: the browser loads no library for it. Colours follow the theme. */
import { renderMermaidSVG } from 'beautiful-mermaid';
import type { MarkdownOptions } from 'vitepress';

type Markdown = Parameters<NonNullable<MarkdownOptions['config']>>[0];

const COLOURS = {
  bg: 'var(--vp-c-bg)',
  fg: 'var(--vp-c-text-1)',
  muted: 'var(--vp-c-text-2)',
  line: 'var(--vp-c-text-3)',
  accent: 'var(--vp-c-brand-1)',
  surface: 'var(--vp-c-bg-soft)',
  border: 'var(--vp-c-border)',
};

export function diagrams(markdown: Markdown): void {
  const { fence } = markdown.renderer.rules;
  if (!fence) throw new Error('the Markdown renderer has no rule for fences');
  markdown.renderer.rules.fence = (tokens, index, ...rest) => {
    const token = tokens[index];
    return token?.info === 'mermaid'
      ? figureOf(token.content, index)
      : fence(tokens, index, ...rest);
  };
}

/** `%% title:` in the source names the picture for people who do not see it. */
function figureOf(source: string, index: number): string {
  const title = /^\s*%% title: (.*)$/m.exec(source)?.[1];
  if (title === undefined) throw new Error(`a diagram needs "%% title: ...":\n${source}`);
  const svg = renderMermaidSVG(source, { ...COLOURS, transparent: true })
    // Vue ignores styles in a page, and these would fetch a font: theme/style.css has what they derive.
    .replace(/<style>[^]*?<\/style>/, '')
    // Several diagrams stand on one page.
    .replaceAll(/(id="|url\(#)([\w-]+)/g, `$1diagram-${index}-$2`)
    .replace(/ width="([\d.]+)" height="[\d.]+" style="/, shrinkable)
    .replace('<svg ', `<svg role="img" aria-label="${title.replaceAll('"', '&quot;')}" `);
  return `<figure class="diagram" tabindex="0" v-pre>${svg}<figcaption>${title}</figcaption></figure>\n`;
}

/** A picture becomes at most a quarter smaller; then its box scrolls. */
function shrinkable(_: string, width: string): string {
  return ` width="${width}" style="min-width:${Math.round(Number(width) * 0.75)}px;`;
}
