import { describe, expect, it } from '@jest/globals';
import { type FramedPage, renderPage } from './frame.page.js';
import { html } from './html-tag.js';

describe('The frame of a page', () => {
  const page: FramedPage = {
    title: 'Orders <b>',
    application: 'Shop',
    mark: html`<svg></svg>`,
    home: '/',
    menu: [
      { name: 'Orders', href: '/orders?a=1&b=2', isCurrent: true },
      { name: 'Goods', href: '/goods', isCurrent: false },
    ],
    favicon: '/favicon.svg',
    style: '/shop.css',
    scripts: ['/a.js', '/b.js'],
    body: html`<h1>Orders</h1>`,
    footer: html`The end.`,
  };
  const text = renderPage(page);

  it('escapes the title and the links of the menu', () => {
    expect(text).toContain('<title>Orders &lt;b&gt; · Shop</title>');
    expect(text).toContain('href="/orders?a=1&amp;b=2" aria-current="page"');
  });

  it('loads its scripts as modules in their order and has nothing inline', () => {
    expect([...text.matchAll(/<script ([^>]*)>(.*?)<\/script>/gs)].map(([tag]) => tag)).toEqual([
      '<script type="module" src="/a.js"></script>',
      '<script type="module" src="/b.js"></script>',
    ]);
    expect(text).not.toMatch(/<style|\sstyle=|\son\w+=/);
  });

  it('marks one entry of the menu as the current page', () => {
    expect(text.match(/aria-current/g)).toHaveLength(1);
  });
});
