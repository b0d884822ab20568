const {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} = require('node:fs');
const { createHash } = require('node:crypto');
const { tmpdir } = require('node:os');
const { join } = require('node:path');

/**
 * When a worker dies, Jest runs its file again, and it reports nothing of a worker that dies after its last file. So each worker writes
 * into a folder of the run which file it has begun, and which error has ended it.
 */
const FOLDER = 'TILLKIT_TEST_RUN';

/** Jest's framework itself reports errors that a file of tests does not catch. */
let isInFile = false;

function folder() {
  return process.env[FOLDER] || null;
}

function markerOf(testPath) {
  return folder() && join(folder(), createHash('sha256').update(testPath).digest('hex'));
}

module.exports = {
  /** This runs before the workers start, because they get the environment of this process. */
  beginRun() {
    process.env[FOLDER] = mkdtempSync(join(tmpdir(), 'tillkit-tests-'));
  },

  /** The run has failed if a worker has died of an error outside a file of tests. */
  endRun() {
    const run = folder();
    const crashes = join(run, 'crashes');
    const text = existsSync(crashes) ? readFileSync(crashes, 'utf8') : '';
    rmSync(run, { recursive: true });
    if (text === '') return;
    process.stderr.write(`A worker has died between two files of tests:\n${text}`);
    process.exitCode = 1;
  },

  /** @throws Error if the process of this file has died before */
  beginFile(testPath) {
    const marker = markerOf(testPath);
    if (marker && existsSync(marker))
      throw new Error(`The process of ${testPath} has died at the first try.`);
    if (marker) writeFileSync(marker, '');
    isInFile = true;
  },

  endFile(testPath) {
    const marker = markerOf(testPath);
    if (marker) rmSync(marker, { force: true });
    isInFile = false;
  },

  /** Records the error of a worker that dies between two files. Call it once for each worker. */
  watchProcess() {
    process.on('uncaughtExceptionMonitor', (error) => {
      if (folder() && !isInFile)
        appendFileSync(join(folder(), 'crashes'), `${error?.stack ?? error}\n`);
    });
  },
};
