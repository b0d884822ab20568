/** Returns the reason why deliveries cannot go to this URL; null for a valid one. Plain http is valid only for loopback and `plainHosts`. */
export function callbackUrlError(
  value: unknown,
  plainHosts: readonly string[] = [],
): string | null {
  if (typeof value !== 'string' || !URL.canParse(value)) return 'must be an absolute HTTPS URL';
  const url = new URL(value);
  if (url.username || url.password) return 'must not contain credentials';
  if (url.protocol === 'https:') return null;
  if (url.protocol !== 'http:') return 'must be an HTTPS URL';
  return isLoopback(url.hostname) || plainHosts.includes(url.hostname)
    ? null
    : 'must be an HTTPS URL';
}

/** True when a host name or address, as `URL` writes it, belongs to this machine only. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}
