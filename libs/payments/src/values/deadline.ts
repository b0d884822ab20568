/**
 * Waits for something, but not longer than a time in milliseconds: then rejects with the error made for it. What was
 * waited for may still be running.
 */
export async function inTime<T>(
  work: Promise<T>,
  timeoutMs: number,
  error: () => Error,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(error()), timeoutMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
