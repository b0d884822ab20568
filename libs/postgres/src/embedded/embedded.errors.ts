/** The embedded server cannot start, stop or be taken over. The message says what to do. @publicApi */
export class EmbeddedPostgresError extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(`Embedded PostgreSQL: ${message}`, options);
    this.name = 'EmbeddedPostgresError';
  }
}
