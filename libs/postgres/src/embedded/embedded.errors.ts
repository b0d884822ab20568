/** The embedded server cannot start, stop or be taken over, with what to do. @publicApi */
export class EmbeddedPostgresError extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(`Embedded PostgreSQL: ${message}`, options);
    this.name = 'EmbeddedPostgresError';
  }
}
