import { join } from 'node:path';
import { defineConfig } from 'vitepress';
import { checklists } from './checklists';
import { diagrams } from './diagrams';
import { siteLinks, slugOf } from './links';
import { NO_PAGES, pageOf, ROOT } from './pages';
import { SIDEBARS } from './sidebar';

const base = process.env['DOCS_BASE'] ?? '/';

export default defineConfig({
  title: 'Tillkit',
  description: 'Mobile-money payments for NestJS',
  lang: 'en',
  base,
  srcDir: ROOT,
  srcExclude: [...NO_PAGES],
  rewrites: (file) => pageOf(file) ?? file,
  outDir: process.env['DOCS_OUTPUT'] ?? join(ROOT, 'dist/site'),
  head: [['link', { rel: 'icon', href: `${base}logo.svg`, type: 'image/svg+xml' }]],
  // A page asks for nothing but itself.
  router: { prefetchLinks: false },
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    anchor: { slugify: slugOf },
    config: (markdown) => {
      siteLinks(markdown);
      diagrams(markdown);
      checklists(markdown);
    },
  },
  vite: {
    publicDir: join(ROOT, 'tools/site/.vitepress/public'),
    build: { chunkSizeWarningLimit: 2_000 },
  },
  themeConfig: {
    logo: '/logo.svg',
    outline: { level: [2, 3], label: 'On this page' },
    search: { provider: 'local', options: { detailedView: false } },
    nav: [
      { text: 'Documentation', link: '/first-payment', activeMatch: '^/(?!api/|changelog)' },
      { text: 'API reference', link: '/api/', activeMatch: '^/api/' },
      { text: 'Changelog', link: '/changelog' },
    ],
    sidebar: SIDEBARS,
    notFound: {
      title: 'There is no such page',
      quote: 'The link is old or mistyped. Search above, or begin at the first page.',
      linkText: 'First page',
    },
    footer: { message: 'MIT licence' },
  },
});
