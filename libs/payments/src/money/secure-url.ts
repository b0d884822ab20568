/**
 * The error text for a URL that must be secure; null when it is valid. Plain `http:` is allowed on this machine only
 * (`localhost`, `127.0.0.0/8`, `[::1]`), for development.
 */
export function secureUrlProblem(text: unknown): string | null {
  const url = typeof text === 'string' ? parseUrl(text) : null;
  if (url === null) return 'must be an absolute https: URL';
  if (url.username || url.password) return 'must carry no user name or password';
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname)))
    return null;
  return 'must start with https: (http: is allowed for localhost, 127.0.0.0/8 and [::1] only)';
}

/**
 * Whether the platform at this address moves no money: its sandbox, by the name of the host, or a simulator on this machine. Any
 * other address counts as the real platform.
 */
export function isSandbox(baseUrl: string): boolean {
  const hostname = parseUrl(baseUrl)?.hostname ?? '';
  return isLoopback(hostname) || /(?:^|[.-])sandbox(?:[.-]|$)/.test(hostname);
}

/** `URL.canParse` before `new URL` would parse each valid URL twice. */
function parseUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

/** Whether a host name or address, as `URL` writes it, is of this machine only. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
