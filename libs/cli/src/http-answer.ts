/** The answer of a server, with the headers that say who answers. */
export interface HttpAnswer {
  status: number;
  type: string;
  server: string;
  location: string;
  date: string | null;
  /** The beginning of the body. */
  text: string;
}

const MOST_READ = 64 * 1024;

/** Sends a request, follows no redirect, and reads the beginning of the answer. Rejects when the signal is aborted. */
export async function exchange(
  url: string,
  { signal, ...request }: { signal: AbortSignal } & RequestInit,
): Promise<HttpAnswer> {
  const response = await fetch(url, { ...request, redirect: 'manual', signal });
  const { headers, status } = response;
  return {
    status,
    type: headers.get('content-type') ?? '',
    server: headers.get('server') ?? '',
    location: headers.get('location') ?? '',
    date: headers.get('date'),
    text: await beginningOf(response),
  };
}

/** Returns the cause of an error of fetch, whose own message is only "fetch failed". */
export function causeOf(error: unknown): string {
  const { name, message, cause } = error as Error & { cause?: unknown };
  if (name === 'TimeoutError' || name === 'AbortError') return 'no answer in time';
  if (!cause) return message;
  const {
    code,
    message: deeper,
    errors,
  } = cause as {
    code?: string;
    message?: string;
    errors?: { message: string }[];
  };
  const text = deeper || errors?.[0]?.message || message;
  return code && !text.includes(code) ? `${text} (${code})` : text;
}

async function beginningOf(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    length += chunk.length;
    // Leaving the loop cancels the rest of the body.
    if (length >= MOST_READ) break;
  }
  return Buffer.concat(chunks).subarray(0, MOST_READ).toString('utf8');
}
