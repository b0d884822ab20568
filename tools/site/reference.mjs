/** The reference: pages in Markdown from the documentation comments of every entry point that hosts may import. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, posix, relative } from 'node:path';
import { Application, Converter, OptionDefaults, ReflectionKind } from 'typedoc';
import { publishedPackages, readManifest, ROOT } from '../../scripts/packages.mjs';

/** Returns the sources of the public entry points, by the name that a host imports. */
export function entryPoints() {
  return new Map(
    publishedPackages().flatMap(({ directory, name, entryPoints: paths }) => {
      const { exports } = readManifest(directory);
      return paths
        .filter((path) => exports[path].types && !path.startsWith('./internal/'))
        .map((path) => [posix.join(name, path), join(directory, exports[path]['@tillkit/source'])]);
    }),
  );
}

export async function writeReference(folder) {
  rmSync(folder, { recursive: true, force: true });
  const sources = entryPoints();
  const app = await Application.bootstrapWithPlugins({
    name: 'API reference',
    outputs: [{ name: 'markdown', path: folder }],
    plugin: ['typedoc-plugin-markdown'],
    entryPoints: [...sources.values()],
    tsconfig: join(ROOT, 'tsconfig.json'),
    // `npm run typecheck` checks them, with the tests.
    skipErrorChecking: true,
    disableGit: true,
    disableSources: true,
    readme: 'none',
    excludePrivate: true,
    excludeProtected: true,
    excludeInternal: true,
    excludeExternals: true,
    modifierTags: [...OptionDefaults.modifierTags, '@publicApi'],
    excludeTags: [...OptionDefaults.excludeTags, '@publicApi'],
    validation: false,
    logLevel: 'Error',
    entryFileName: 'index',
    hideBreadcrumbs: true,
    hidePageHeader: true,
    useCodeBlocks: true,
    expandParameters: true,
    parametersFormat: 'table',
    propertiesFormat: 'table',
    typeDeclarationFormat: 'table',
    tableColumnSettings: {
      hideInherited: true,
      hideOverrides: true,
      hideModifiers: true,
      hideSources: true,
    },
  });
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const module of project.getReflectionsByKind(ReflectionKind.Module))
      module.name = importedAs(module.name, sources);
    // Nest makes the services: only a documented constructor is for hosts.
    for (const made of project.getReflectionsByKind(ReflectionKind.Constructor))
      if (!made.signatures?.some(({ comment }) => comment)) project.removeReflection(made);
    for (const type of project.getReflectionsByKind(ReflectionKind.Interface)) fromTable(type);
  });
  const project = await app.convert();
  if (!project) throw new Error('TypeDoc could not read the sources');
  await app.generateOutputs(project);
  if (app.logger.hasErrors()) throw new Error('TypeDoc could not write the reference');
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    if (path.endsWith('.md')) linkDocs(folder, path);
}

/** An interface that has its fields from a table extends a type that is not for hosts, and how a field is read is no default of it. */
function fromTable(type) {
  const others = type.extendedTypes?.filter(({ name }) => !['Shown', 'ShownFields'].includes(name));
  type.extendedTypes = others?.length > 0 ? others : undefined;
  for (const field of type.children ?? []) delete field.defaultValue;
}

/** TypeDoc names a module after its file, from the folder that all have in common: `payments/src/store`. */
function importedAs(module, sources) {
  const found = [...sources].find(
    ([, path]) => relative(join(ROOT, 'libs'), path).replace(/(\/index)?\.ts$/, '') === module,
  );
  if (!found) throw new Error(`${module} is no entry point`);
  return found[0];
}

/** A comment names pages as `docs/promises.md#sending`. */
function linkDocs(folder, path) {
  const file = join(folder, path);
  const text = readFileSync(file, 'utf8');
  const up = posix.relative(posix.join('docs/api', posix.dirname(path)), '.');
  const linked = text.replaceAll(
    /(?<![[(/\w])docs\/([\w/-]+)\.md(#[\w-]+)?/g,
    (name) => `[${name}](${up}/${name})`,
  );
  if (linked !== text) writeFileSync(file, linked);
}
