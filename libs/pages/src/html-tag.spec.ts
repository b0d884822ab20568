import { describe, expect, it } from '@jest/globals';
import { html } from './html-tag.js';

describe('The html tag', () => {
  it('escapes every value except markup, and writes nothing for null, undefined and false', () => {
    const hostile = `<b title="x" id='y'>&`;
    expect(html`<p>${hostile}${html`<i></i>`}${[1, null]}${false}${undefined}</p>`.toString()).toBe(
      '<p>&lt;b title=&quot;x&quot; id=&#39;y&#39;&gt;&amp;<i></i>1</p>',
    );
  });
});
