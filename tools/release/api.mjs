/**
 * Compares the public API of every entry point with its report in libs/<package>/api/, and fails when it has changed:
 * npm run api. With --update it writes the reports: commit them together with the change.
 */
import { mkdirSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { Extractor, ExtractorConfig } from '@microsoft/api-extractor';
import { publishedPackages, ROOT } from '../../scripts/packages.mjs';

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

/** The report that differs from the API; null when none differs. */
function compare({ directory, manifest }, entryPoint) {
  const name = entryPoint === '.' ? 'index' : basename(entryPoint);
  const folder = join(directory, 'api');
  mkdirSync(folder, { recursive: true });
  const configuration = ExtractorConfig.prepare({
    packageJsonFullPath: join(directory, 'package.json'),
    configObjectFullPath: undefined,
    configObject: {
      projectFolder: directory,
      mainEntryPointFilePath: join(directory, manifest.exports[entryPoint].types),
      newlineKind: 'lf',
      compiler: {
        overrideTsconfig: {
          compilerOptions: {
            target: 'ES2023',
            module: 'nodenext',
            moduleResolution: 'nodenext',
            types: ['node'],
            skipLibCheck: true,
          },
          files: [join(directory, manifest.exports[entryPoint].types)],
        },
      },
      apiReport: {
        enabled: true,
        reportFileName: `${name}.api.md`,
        reportFolder: folder,
        reportTempFolder: join(ROOT, 'node_modules/.cache/tillkit-api'),
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
  const { apiReportChanged } = Extractor.invoke(configuration, {
    localBuild: isUpdate,
    messageCallback: (message) => {
      message.handled = message.logLevel !== 'error';
    },
  });
  return apiReportChanged && !isUpdate ? relative(ROOT, join(folder, `${name}.api.md`)) : null;
}
