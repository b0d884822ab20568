/** Timeout of a host's HTTP call. */
const TIMEOUT_MS = 20_000;

/** Posts JSON to a replica. @throws when the replica is dead, frozen or not started */
export function callReplica(port: number, route: string, body: object): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}/${route}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
}
