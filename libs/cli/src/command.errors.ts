/** A command line that is wrong; the message says which one is right. The exit code is 2. */
export class UsageError extends Error {}

/** The command could not do its work. The message says why, and what to do. The exit code is 1. */
export class CommandError extends Error {}
