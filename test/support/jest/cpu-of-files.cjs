const { appendFileSync, readFileSync } = require('node:fs');

/** Ticks in a second, in /proc: Linux has 100 on all of its machines. */
const TICKS = 100;

/**
 * Returns the seconds of CPU of this process, and of the processes that it started and that have ended. Those of servers that all files share are not
 * counted.
 */
function secondsSoFar() {
  const { user, system } = process.cpuUsage();
  const own = (user + system) / 1e6;
  if (process.platform !== 'linux') return own;
  // The name of the process, in brackets, may have spaces.
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ');
  return own + (Number(fields[13]) + Number(fields[14])) / TICKS;
}

/** Measures one file of tests. With `TILLKIT_CPU_OF_FILES=FILE npm test`, FILE gets a line for each: seconds of CPU, and its path. */
class CpuOfFile {
  #to = process.env.TILLKIT_CPU_OF_FILES;
  #before = this.#to ? secondsSoFar() : 0;

  end(path) {
    if (!this.#to) return;
    const seconds = (secondsSoFar() - this.#before).toFixed(1);
    appendFileSync(this.#to, `${seconds.padStart(7)} ${path}\n`);
  }
}

module.exports = { CpuOfFile };
