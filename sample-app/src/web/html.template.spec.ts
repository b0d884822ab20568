import { describe, expect, it } from '@jest/globals';
import { html } from './html.template.js';

describe('html', () => {
  it('escapes every value, between tags and in attributes', () => {
    const hostile = `<script>"&'</script>`;
    expect(html`<b title="${hostile}">${hostile}</b>`.toString()).toBe(
      '<b title="&lt;script&gt;&quot;&amp;&#39;&lt;/script&gt;">&lt;script&gt;&quot;&amp;&#39;&lt;/script&gt;</b>',
    );
  });

  it('keeps markup that it made itself', () => {
    const items = ['a', '<'].map((item) => html`<li>${item}</li>`);
    expect(
      html`<ul>
        ${items}
      </ul>`.toString(),
    ).toContain('<li>a</li><li>&lt;</li>');
  });

  it('escapes in lists of lists', () => {
    expect(html`${[['<'], [null, 1]]}`.toString()).toBe('&lt;1');
  });

  it('shows nothing for what is not there, and zero for zero', () => {
    expect(html`${null}${undefined}${false}${''}${0}`.toString()).toBe('0');
  });

  it('does not take an object that only looks like markup', () => {
    const impostor = { toString: () => '<b>' } as unknown as string;
    expect(html`${impostor}`.toString()).toBe('&lt;b&gt;');
  });

  it('keeps backslashes as they are written', () => {
    expect(html`d`.toString()).toBe('d');
    expect(html`${'\\d'}`.toString()).toBe('\\d');
  });
});
