import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** A subject that takes longer to exit is killed. */
const END_TIMEOUT_MS = 20_000;

/** A message from a subject to its parent. */
export type Message =
  | { kind: 'ready'; facts: unknown }
  | { kind: 'answer'; id: number; result: unknown }
  | { kind: 'failure'; id: number; error: string };

interface Waiting {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** A process that is measured, or that sends load to it. */
export class SubjectProcess {
  private readonly waiting = new Map<number, Waiting>();
  private calls = 0;
  private ended = false;

  private constructor(
    private readonly name: string,
    private readonly child: ChildProcess,
  ) {
    child.on('message', (message: Message) => this.receive(message));
    child.once('exit', (code, signal) => {
      this.ended = true;
      const error = new Error(`${name} ended with ${String(signal ?? code)}`);
      for (const { reject } of this.waiting.values()) reject(error);
      this.waiting.clear();
    });
  }

  /** Starts the file of a subject. Resolves when the subject is ready. */
  static async start(name: string, file: string, settings: object): Promise<SubjectProcess> {
    const child = fork(file, [], {
      execArgv: [],
      env: { ...process.env, SUBJECT: JSON.stringify(settings), NODE_OPTIONS: '' },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      serialization: 'advanced',
    });
    const subject = new SubjectProcess(name, child);
    await new Promise<void>((resolve, reject) => {
      subject.waiting.set(0, { resolve: () => resolve(), reject });
    });
    return subject;
  }

  get pid(): number {
    return this.child.pid as number;
  }

  async call<T>(handler: string, argument?: unknown): Promise<T> {
    if (this.ended) throw new Error(`${this.name} has ended`);
    const id = (this.calls += 1);
    const answer = new Promise<T>((resolve, reject) => {
      this.waiting.set(id, { resolve: resolve as Waiting['resolve'], reject });
    });
    this.child.send({ id, handler, argument });
    return answer;
  }

  async stop(): Promise<void> {
    if (this.ended) return;
    const exit = once(this.child, 'exit');
    // A subject exits when its IPC channel closes, so it also exits when this process is killed.
    this.child.disconnect();
    const deadline = setTimeout(() => this.child.kill('SIGKILL'), END_TIMEOUT_MS);
    await exit;
    clearTimeout(deadline);
  }

  private receive(message: Message): void {
    const id = message.kind === 'ready' ? 0 : message.id;
    const waiting = this.waiting.get(id);
    this.waiting.delete(id);
    if (message.kind === 'ready') waiting?.resolve(message.facts);
    else if (message.kind === 'answer') waiting?.resolve(message.result);
    else waiting?.reject(new Error(`${this.name}: ${message.error}`));
  }
}
