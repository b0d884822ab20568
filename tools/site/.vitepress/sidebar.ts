/** The sidebar: the whole site in the order of a book. The reference comes from what TypeDoc wrote. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DefaultTheme } from 'vitepress';
import { slugOf } from './links';
import { pageOf, ROOT } from './pages';

type Item = DefaultTheme.SidebarItem;

const page = (text: string, file: string): Item => {
  const path = pageOf(file);
  if (path === undefined) throw new Error(`${file} is no page`);
  return { text, link: `/${path.replace(/(index)?\.md$/, '')}` };
};

export const SIDEBAR: Item[] = [
  {
    text: 'Start',
    items: [
      page('First payment', 'docs/first-payment.md'),
      page('Guide', 'docs/guide.md'),
      page('Events', 'docs/events.md'),
      page('Events on a bus', 'docs/bus.md'),
      page('Your database library', 'docs/databases.md'),
      page('Test your application', 'docs/testing.md'),
      page('Example shop', 'sample-app/README.md'),
      page('Coming from k2-connect-node', 'docs/from-k2-connect-node.md'),
    ],
  },
  {
    text: 'Understand',
    items: [
      page('Exactly once, explained', 'docs/exactly-once.md'),
      page('What is promised', 'docs/promises.md'),
      page('Security', 'docs/security.md'),
      page('Conformance', 'docs/conformance.md'),
      page('What is unverified', 'docs/unverified.md'),
    ],
  },
  {
    text: 'Operate',
    items: [
      page('Production checklist', 'docs/production.md'),
      page('Behind a proxy', 'docs/proxies.md'),
      page('Settings', 'docs/settings.md'),
      page('Troubleshooting', 'docs/troubleshooting.md'),
      page('Failure reasons', 'docs/failures.md'),
      page('Observability', 'docs/observability.md'),
      page('Scaling', 'docs/scaling.md'),
      page('Where it runs', 'docs/matrix.md'),
      page('Run and bundle', 'docs/bundling.md'),
      page('Performance', 'docs/performance.md'),
    ],
  },
  {
    text: 'Packages',
    items: [
      page('@tillkit/payments', 'libs/payments/README.md'),
      page('@tillkit/postgres', 'libs/postgres/README.md'),
      page('@tillkit/simulator', 'libs/simulator/README.md'),
      page('@tillkit/dashboard', 'libs/dashboard/README.md'),
      page('@tillkit/cli', 'libs/cli/README.md'),
      page('@tillkit/pages', 'libs/pages/README.md'),
    ],
  },
  { text: 'API reference', link: '/api/' },
  {
    text: 'Project',
    items: [
      page('Architecture', 'docs/architecture.md'),
      page('The store in PostgreSQL', 'docs/postgres.md'),
      page('Simulation', 'docs/simulation.md'),
      page('Decisions', 'docs/decisions/README.md'),
      page('Contributing', 'CONTRIBUTING.md'),
      page('Report a vulnerability', 'SECURITY.md'),
      page('Changelog', 'CHANGELOG.md'),
    ],
  },
];

/** Returns the reference: the entry points, and the groups of names of the one that is open. */
function referenceSidebars(): DefaultTheme.SidebarMulti {
  const folder = join(ROOT, 'docs/api');
  if (!existsSync(folder)) return {};
  const names = matches(join(folder, 'index.md'), /^- \[(.+?)\]/gm);
  const sidebarOf = (open?: string): Item[] => [
    {
      text: 'API reference',
      items: names.map((name) => ({
        text: name,
        link: `/api/${name}/`,
        ...(name === open && {
          items: matches(join(folder, name, 'index.md'), /^## (.+)$/gm).map((group) => ({
            text: group,
            link: `/api/${name}/#${slugOf(group)}`,
          })),
        }),
      })),
    },
  ];
  return Object.fromEntries([
    ...names.map((name) => [`/api/${name}/`, sidebarOf(name)] as const),
    ['/api/', sidebarOf()],
  ]);
}

function matches(file: string, pattern: RegExp): string[] {
  return [...readFileSync(file, 'utf8').matchAll(pattern)].map(([, text = '']) => text);
}

export const SIDEBARS: DefaultTheme.SidebarMulti = { ...referenceSidebars(), '/': SIDEBAR };
