/** Where a command writes, and what it reads besides its arguments. */
export interface CommandContext {
  write(text: string): void;
  environment: NodeJS.ProcessEnv;
}

/** One sub-command of `npx @tillkit/postgres`. */
export interface Command {
  name: string;
  /** One line for the list of commands. */
  summary: string;
  /** What `--help` prints. */
  help: string;
  run(args: string[], context: CommandContext): Promise<void>;
}

/** The command was called in a way that it does not understand; the message says which is right. */
export class UsageError extends Error {}
