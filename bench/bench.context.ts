import type { BenchArguments } from './bench.arguments.js';
import { PostgresServer } from './postgres.server.js';
import type { OpenContender } from './rounds.js';
import { CompiledSubjects } from './subject.compiler.js';
import { SubjectProcess } from './subject.process.js';

/** The subjects, databases and options of a run. `close()` stops everything that it has started. */
export class BenchContext {
  private readonly subjects = new Set<SubjectProcess>();
  private server: Promise<PostgresServer> | undefined;
  private compiled: Promise<CompiledSubjects> | undefined;
  private closed = false;

  constructor(readonly args: BenchArguments) {}

  /** True when the run was interrupted. */
  get ended(): boolean {
    return this.closed;
  }

  /** Returns the first number in a full run, the second with `--smoke`. */
  size(full: number, smoke: number): number {
    return this.args.smoke ? smoke : full;
  }

  /** Returns the number of rounds: `--rounds`, or this default. */
  rounds(full: number): number {
    return this.args.rounds ?? this.size(full, 1);
  }

  log(line: string): void {
    if (!this.args.quiet) console.log(`  ${line}`);
  }

  async start(name: string, settings: object): Promise<SubjectProcess> {
    this.requireOpen();
    const compiled = await (this.compiled ??= CompiledSubjects.make());
    const subject = await SubjectProcess.start(name, compiled.fileOf(name), settings);
    this.subjects.add(subject);
    return subject;
  }

  /** Starts so many subjects at once, runs `work`, and stops all of them, also when one did not start. */
  async withMany<T>(
    name: string,
    settings: object,
    count: number,
    work: (subjects: readonly SubjectProcess[]) => Promise<T>,
  ): Promise<T> {
    const starts = Array.from({ length: count }, () => this.start(name, settings));
    try {
      return await work(await Promise.all(starts));
    } finally {
      const started = (await Promise.allSettled(starts)).flatMap((start) =>
        start.status === 'fulfilled' ? [start.value] : [],
      );
      await Promise.all(started.map((subject) => this.stop(subject)));
    }
  }

  /** Starts a subject, runs `work`, and stops the subject. */
  async with<T>(
    name: string,
    settings: object,
    work: (subject: SubjectProcess) => Promise<T>,
  ): Promise<T> {
    const subject = await this.start(name, settings);
    try {
      return await work(subject);
    } finally {
      await this.stop(subject);
    }
  }

  async stop(subject: SubjectProcess): Promise<void> {
    await subject.stop();
    this.subjects.delete(subject);
  }

  /** Starts a subject for a contender and prepares it. */
  async open(
    name: string,
    settings: object,
    prepare: (subject: SubjectProcess) => Promise<OpenContender['measure']>,
  ): Promise<OpenContender> {
    const subject = await this.start(name, settings);
    try {
      const measure = await prepare(subject);
      return { measure, close: () => this.stop(subject) };
    } catch (error) {
      await this.stop(subject);
      throw error;
    }
  }

  /** Runs `work`; with `--profile`, writes a CPU profile of the subject meanwhile. */
  async measured<T>(subject: SubjectProcess, name: string, work: () => Promise<T>): Promise<T> {
    const { profile } = this.args;
    if (profile === undefined) return work();
    await subject.call('startProfile');
    const result = await work();
    await subject.call('stopProfile', { directory: profile, name: name.replaceAll(' ', '-') });
    return result;
  }

  postgres(): Promise<PostgresServer> {
    this.requireOpen();
    return (this.server ??= PostgresServer.start());
  }

  /** Creates a database, runs `work`, and drops the database. */
  async withDatabase<T>(work: (url: string) => Promise<T>): Promise<T> {
    const database = await (await this.postgres()).createDatabase();
    try {
      return await work(database.url);
    } finally {
      await database.drop();
    }
  }

  /** Returns settings of the PostgreSQL server; null if none was started. */
  async postgresFacts(): Promise<Record<string, string> | null> {
    return this.server ? (await this.server).facts() : null;
  }

  async close(): Promise<void> {
    this.closed = true;
    await Promise.allSettled([...this.subjects].map((subject) => subject.stop()));
    const server = await this.server?.catch(() => undefined);
    await server?.stop();
    const compiled = await this.compiled?.catch(() => undefined);
    await compiled?.remove();
  }

  /** Refuses to start anything after Ctrl-C. */
  private requireOpen(): void {
    if (this.closed) throw new Error('the run was ended');
  }
}
