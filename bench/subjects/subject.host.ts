import { mkdir, writeFile } from 'node:fs/promises';
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import { inspect } from 'node:util';
import type { Message } from '../subject.process.js';

export type Handlers = Record<string, (argument: never) => unknown>;

/** Returns the settings from the parent process. */
export function settingsOf<T>(): T {
  return JSON.parse(process.env['SUBJECT'] as string) as T;
}

/** A CPU profile of the measurement only, without start and warm-up. */
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

/** Tells the parent that this subject is ready, and runs handlers until the parent disconnects. */
export function host(
  handlers: Handlers,
  end: () => Promise<unknown> = async () => undefined,
): void {
  const profile = new Profile();
  const allHandlers: Handlers = {
    ...handlers,
    startProfile: () => profile.start(),
    stopProfile: (where: { directory: string; name: string }) => profile.stop(where),
  };
  process.on(
    'message',
    ({ id, handler, argument }: { id: number; handler: string; argument: never }) => {
      void Promise.resolve()
        .then(() => {
          const handle = allHandlers[handler];
          if (!handle) throw new Error(`the subject has no handler ${handler}`);
          return handle(argument);
        })
        .then(
          (result) => send({ kind: 'answer', id, result }),
          (error: unknown) => send({ kind: 'failure', id, error: inspect(error) }),
        );
    },
  );
  const exit = (): void => {
    // Open sockets and timers could keep this process alive.
    void end().finally(() => process.exit(0));
  };
  // The parent may have stopped while this process started.
  if (!process.connected) return exit();
  process.once('disconnect', exit);
  send({ kind: 'ready', facts: null });
}

function send(message: Message): void {
  // A parent that has stopped needs no answer.
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
}
