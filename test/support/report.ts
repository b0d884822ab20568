/** Prints what was checked, and ends the process. */
export class Report {
  private passed = 0;
  private failed = 0;

  part(name: string): void {
    process.stdout.write(`\n=== ${name}\n`);
  }

  skip(name: string, why: string): void {
    process.stdout.write(`\n=== ${name}: NOT RUN, ${why}\n`);
  }

  say(line: string): void {
    process.stdout.write(`        ${line}\n`);
  }

  /** @param detail what was measured */
  check(what: string, isTrue: boolean, detail: string | number = ''): void {
    if (isTrue) this.passed += 1;
    else this.failed += 1;
    const measured = detail === '' ? '' : `: ${detail}`;
    process.stdout.write(`${isTrue ? 'ok      ' : 'FAILED  '}${what}${measured}\n`);
  }

  finish(ms: number): never {
    process.stdout.write(`\n${Math.round(ms / 1_000)} s\n`);
    process.stdout.write(`${this.passed} passed, ${this.failed} failed\n`);
    process.exit(this.failed > 0 ? 1 : 0);
  }
}
