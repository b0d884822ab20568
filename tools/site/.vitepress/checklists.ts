/** `- [ ]` becomes a box that the reader may tick while they work through a list. It is not kept. */
import type { MarkdownOptions } from 'vitepress';

type Markdown = Parameters<NonNullable<MarkdownOptions['config']>>[0];

const BOX = /^\[ \] /;

export function checklists(markdown: Markdown): void {
  markdown.core.ruler.push('checklists', ({ tokens, Token }) => {
    tokens.forEach((token, index) => {
      const [text] = token.children ?? [];
      const item = tokens[index - 2];
      if (item?.type !== 'list_item_open' || !text || !BOX.test(text.content)) return;
      text.content = text.content.replace(BOX, '');
      item.attrJoin('class', 'to-do');
      const box = new Token('html_inline', '', 0);
      const name = markdown.utils.escapeHtml(plain(token.content).slice(0, 120));
      box.content = `<input type="checkbox" aria-label="Done: ${name}"> `;
      token.children?.unshift(box);
    });
  });
}

function plain(text: string): string {
  return text
    .replace(BOX, '')
    .replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*_\n]+/g, ' ');
}
