/** Where a command writes, and what it reads besides its arguments. */
export interface CommandContext {
  readonly write: (text: string) => void;
  environment: NodeJS.ProcessEnv;
}

/** Options of every command that works on a database. */
export interface DatabaseOptions {
  url?: string;
  schema?: string;
}

/** A command line that is wrong; the message says which one is right. */
export class UsageError extends Error {}
