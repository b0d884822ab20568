import type { WriteStream } from 'node:tty';

/** The process around a command: its input, its outputs, and its interrupts. */
export interface CommandContext {
  /** Standard output. */
  readonly write: (text: string) => void;
  /** Standard error. */
  readonly writeError: (text: string) => void;
  readonly readInput: () => Promise<Buffer>;
  /** Asks the person at the terminal; null when there is none. */
  readonly ask: ((question: string) => Promise<string>) | null;
  readonly environment: NodeJS.ProcessEnv;
  /** True when standard output is a terminal that shows colours. */
  readonly hasColors: boolean;
  /** Shows progress on standard error; null when that is no terminal. */
  readonly progress: WriteStream | null;
  /** Keeps an interrupt (Ctrl-C) from killing the process: the signal is aborted instead. */
  readonly interrupted: () => AbortSignal;
  /** Keeps the logs of Nest and of the store away from standard output, where scripts read the result. */
  readonly logErrorsOnly: () => Promise<void> | void;
}

/** Exit codes of every command. */
export const EXIT = { ok: 0, found: 1, usage: 2 } as const;

export const EXIT_CODES =
  'Exit codes: 0 all is well, 1 something failed or was found, 2 the command line or a setting is wrong.';
