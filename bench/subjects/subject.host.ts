import { mkdir, writeFile } from 'node:fs/promises';
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import { inspect } from 'node:util';
import type { Message } from '../subject.process.js';

/** What a subject can be asked to do. */
export type Handlers = Record<string, (argument: never) => unknown>;

/** The settings that the parent process gave to this one. */
export function settingsOf<T>(): T {
  return JSON.parse(process.env['SUBJECT'] as string) as T;
}

/** A CPU profile of what is measured only: start and warm-up would hide it. */
class Profile {
  private readonly session = new Session();

  async start(): Promise<void> {
    this.session.connect();
    await this.session.post('Profiler.enable');
    await this.session.post('Profiler.start');
  }

  async stop({ directory, name }: { directory: string; name: string }): Promise<void> {
    const { profile } = await this.session.post('Profiler.stop');
    this.session.disconnect();
    await mkdir(directory, { recursive: true });
    await writeFile(join(directory, `${name}-${process.pid}.cpuprofile`), JSON.stringify(profile));
  }
}

/** Says that this subject is ready, and does what it is asked to until its parent leaves. */
export function host(
  handlers: Handlers,
  end: () => Promise<unknown> = async () => undefined,
): void {
  const profile = new Profile();
  const offered: Handlers = {
    ...handlers,
    startProfile: () => profile.start(),
    stopProfile: (where: { directory: string; name: string }) => profile.stop(where),
  };
  process.on(
    'message',
    ({ id, handler, argument }: { id: number; handler: string; argument: never }) => {
      void Promise.resolve()
        .then(() => {
          const handle = offered[handler];
          if (!handle) throw new Error(`it offers no ${handler}`);
          return handle(argument);
        })
        .then(
          (result) => send({ kind: 'answer', id, result }),
          (error: unknown) => send({ kind: 'failure', id, error: inspect(error) }),
        );
    },
  );
  const leave = (): void => {
    // Open sockets and timers of what was measured would keep this process alive.
    void end().finally(() => process.exit(0));
  };
  // The parent may have stopped while this process started.
  if (!process.connected) return leave();
  process.once('disconnect', leave);
  send({ kind: 'ready', facts: null });
}

function send(message: Message): void {
  // A parent that has stopped needs no answer.
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
}
