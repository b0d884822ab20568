import type { BenchArguments } from './bench.arguments.js';
import { PostgresServer } from './postgres.server.js';
import type { OpenContender } from './rounds.js';
import { CompiledSubjects } from './subject.compiling.js';
import { SubjectProcess, type SubjectOptions } from './subject.process.js';

/** What every benchmark works with; what it starts ends with it. */
export class BenchContext {
  private readonly subjects = new Set<SubjectProcess>();
  private server: Promise<PostgresServer> | undefined;
  private compiled: Promise<CompiledSubjects> | undefined;
  private closed = false;

  constructor(readonly given: BenchArguments) {}

  /** Whether it was interrupted. */
  get ended(): boolean {
    return this.closed;
  }

  /** A number for the full run, and one for the run that only sees whether everything works. */
  size(full: number, smoke: number): number {
    return this.given.smoke ? smoke : full;
  }

  /** Rounds of a benchmark, unless the command line says how many. */
  rounds(full: number): number {
    return this.given.rounds ?? this.size(full, 1);
  }

  log(line: string): void {
    if (!this.given.quiet) console.log(`  ${line}`);
  }

  async start(
    name: string,
    settings: object,
    options: SubjectOptions = {},
  ): Promise<SubjectProcess> {
    this.requireOpen();
    const compiled = await (this.compiled ??= CompiledSubjects.make());
    const subject = await SubjectProcess.start(name, compiled.fileOf(name), settings, options);
    this.subjects.add(subject);
    return subject;
  }

  /** Works with a subject, and stops it in the end. */
  async with<T>(
    name: string,
    settings: object,
    work: (subject: SubjectProcess) => Promise<T>,
    options: SubjectOptions = {},
  ): Promise<T> {
    const subject = await this.start(name, settings, options);
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

  /** Like `start`, for something that is measured in turns. */
  async open(
    name: string,
    settings: object,
    prepare: (subject: SubjectProcess) => Promise<OpenContender['measure']>,
    options: SubjectOptions = {},
  ): Promise<OpenContender> {
    const subject = await this.start(name, settings, options);
    try {
      const measure = await prepare(subject);
      return { measure, close: () => this.stop(subject) };
    } catch (error) {
      await this.stop(subject);
      throw error;
    }
  }

  /** What is measured, with a CPU profile of the subject where one is asked for. */
  async measured<T>(subject: SubjectProcess, name: string, work: () => Promise<T>): Promise<T> {
    const { profile } = this.given;
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

  /** A database of its own for one benchmark. */
  async withDatabase<T>(work: (url: string) => Promise<T>): Promise<T> {
    const database = await (await this.postgres()).createDatabase();
    try {
      return await work(database.url);
    } finally {
      await database.drop();
    }
  }

  /** Facts of the server, where one was started. */
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

  /** After Ctrl-C nothing is begun any more. */
  private requireOpen(): void {
    if (this.closed) throw new Error('the run was ended');
  }
}
