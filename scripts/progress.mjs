/** Progress of work that may take long, in one line: a text, and a dot every second. */
import { Worker } from 'node:worker_threads';

// The dots come from a thread of their own, because the work may keep this one busy for seconds.
const DOTS = `setInterval(() => { try { require('node:fs').writeSync(1, '.'); } catch {} }, 1000);`;

/**
 * The line ends before the next output of this process, whoever prints it.
 * @returns {() => void} ends the line, if nothing has
 */
export function progress(text) {
  process.stdout.write(text);
  const dots = new Worker(DOTS, { eval: true, execArgv: [] });
  dots.unref();
  const streams = [process.stdout, process.stderr];
  let isOver = false;
  const end = () => {
    if (isOver) return;
    isOver = true;
    for (const stream of streams) delete stream.write;
    void dots.terminate();
    process.stdout.write('\n');
  };
  for (const stream of streams) {
    stream.write = (...args) => {
      end();
      return stream.write(...args);
    };
  }
  return end;
}
