/**
 * Compares the public API of every entry point with its report in libs/<package>/api/, and fails when it has changed:
 * npm run api. With --update it writes the reports: commit them together with the change.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { Extractor, ExtractorConfig } from '@microsoft/api-extractor';
import { publishedPackages, ROOT } from '../../scripts/packages.mjs';
import { withFields } from './inferred-fields.mjs';

const COMPILER_OPTIONS = {
  target: 'ES2023',
  module: 'nodenext',
  moduleResolution: 'nodenext',
  types: ['node'],
  skipLibCheck: true,
};

const isUpdate = process.argv.includes('--update');

const changed = publishedPackages().flatMap((published) =>
  published.entryPoints
    .filter((entryPoint) => published.manifest.exports[entryPoint].types)
    // Entries for packages of ours: they may change with any version.
    .filter((entryPoint) => !entryPoint.startsWith('./internal/'))
    .map((entryPoint) => compare(published, entryPoint))
    .filter((report) => report !== null),
);

if (changed.length > 0) {
  process.stderr.write(
    `The public API is not what these reports say:\n${changed.map((report) => `  ${report}\n`).join('')}` +
      'If it is to change, run `npm run api -- --update`, and commit the reports.\n',
  );
  process.exit(1);
}

/** Returns the report that differs from the API; null when none differs. */
function compare({ directory, manifest }, entryPoint) {
  const fileName = `${entryPoint === '.' ? 'index' : basename(entryPoint)}.api.md`;
  const report = join(directory, 'api', fileName);
  const types = join(directory, manifest.exports[entryPoint].types);
  const folder = join(ROOT, 'node_modules/.cache/tillkit-api', relative(ROOT, directory));
  mkdirSync(folder, { recursive: true });
  const configuration = ExtractorConfig.prepare({
    packageJsonFullPath: join(directory, 'package.json'),
    configObjectFullPath: undefined,
    configObject: {
      projectFolder: directory,
      mainEntryPointFilePath: types,
      newlineKind: 'lf',
      compiler: { overrideTsconfig: { compilerOptions: COMPILER_OPTIONS, files: [types] } },
      apiReport: {
        enabled: true,
        reportFileName: fileName,
        reportFolder: folder,
        reportTempFolder: join(folder, 'now'),
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      // The report contains the API without its documentation, which reviewers check.
      messages: {
        compilerMessageReporting: { default: { logLevel: 'warning' } },
        extractorMessageReporting: { default: { logLevel: 'none' } },
        tsdocMessageReporting: { default: { logLevel: 'none' } },
      },
    },
  });
  Extractor.invoke(configuration, {
    localBuild: true,
    messageCallback: (message) => {
      message.handled = message.logLevel !== 'error';
    },
  });
  const extracted = readFileSync(join(folder, 'now', fileName), 'utf8');
  const now = withFields(extracted, types, COMPILER_OPTIONS);
  if (existsSync(report) && readFileSync(report, 'utf8') === now) return null;
  if (!isUpdate) return relative(ROOT, report);
  mkdirSync(join(directory, 'api'), { recursive: true });
  writeFileSync(report, now);
  return null;
}
