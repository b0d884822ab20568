/** What an error says. It never throws: code of the host may throw anything, also what has no text. */
export function errorText(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error);
  } catch {
    return 'it threw something that has no text';
  }
}
