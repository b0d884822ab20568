/**
 * Which packages refuse a release of Node, when npm chooses them without our lock file: with `engine-strict` one of them ends an installation, and
 * Yarn 1 is always so strict.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { blockBelow } from './page.blocks.mjs';

/** The oldest Node of both lines that our packages promise. */
const NODES = ['20.19.0', '22.12.0'];

/** What we tell users of NestJS 12 on Node 20. */
const { overrides } = JSON.parse(
  blockBelow('docs/troubleshooting.md', '### The installation ends with `EBADENGINE`', 'json'),
);

const QUIETLY = ['--no-audit', '--no-fund'];

const nest = (version) => ({
  '@nestjs/common': version,
  '@nestjs/core': version,
  '@nestjs/platform-express': version,
  'reflect-metadata': '^0.2.2',
  rxjs: '^7.8.2',
});

/**
 * Checks that our packages bring none that refuses a Node, beside those that NestJS brings by itself: NestJS 12 has one that wants Node 22.
 * @param tarballs our packed packages, by name
 * @param check runs a check and prints its name
 * @param run runs a command, and resolves with all that it prints
 */
export async function checkEngines({ tarballs, work, check, run }) {
  const folderOf = (name, dependencies, more = {}) => {
    const folder = join(work, name);
    mkdirSync(folder);
    const manifest = { private: true, dependencies, ...more };
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
    return folder;
  };
  /** Returns the packages that refuse a Node, of all that npm would install. */
  const refusing = async (node, name, dependencies, more) => {
    const printed = await run(
      'npm',
      ['install', '--package-lock-only', ...QUIETLY],
      folderOf(`${name} on ${node}`, dependencies, more),
      { PATH: join(work, node, 'node_modules/node/bin') + delimiter + process.env.PATH },
    );
    return [...printed.matchAll(/EBADENGINE +package: '(.+)'/g)].map(([, refused]) => refused);
  };
  const { '@tillkit/simulator': simulator, '@tillkit/pages': pages } = tarballs;
  for (const node of NODES) {
    await run('npm', ['install', ...QUIETLY], folderOf(node, { node }));
    await check(`Node ${node}: the simulator alone`, async () => {
      const own = { '@tillkit/simulator': simulator, '@tillkit/pages': pages };
      refuse(await refusing(node, 'simulator', own));
    });
    for (const version of ['^11.1.0', '^12.5.1'])
      await check(`Node ${node}: all packages beside NestJS ${version}`, async () => {
        const alone = await refusing(node, `nest ${version}`, nest(version));
        const all = await refusing(node, `all ${version}`, { ...nest(version), ...tarballs });
        refuse(all.filter((name) => !alone.includes(name)));
      });
  }
  const [oldest] = NODES;
  await check(`Node ${oldest}: all packages beside NestJS 12 with these overrides`, async () => {
    const all = { ...nest('^12.5.1'), '@nestjs/platform-fastify': '^12.5.0', ...tarballs };
    refuse(await refusing(oldest, 'overrides', all, { overrides }));
  });
}

function refuse(names) {
  if (names.length > 0) throw new Error(`${names.join(', ')} refuse this Node`);
}
