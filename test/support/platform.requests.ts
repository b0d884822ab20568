import type { RequestEntry, Simulator } from '@tillkit/simulator';

/** Returns the requests that the simulated platform has received at URLs with this end, oldest first. */
export function requestsTo(
  simulator: Simulator,
  end: string,
  { method, merchant }: { method?: string; merchant?: string } = {},
): RequestEntry[] {
  return simulator.journal
    .entries(0, merchant)
    .filter((entry): entry is RequestEntry => entry.type === 'request')
    .filter((entry) => entry.url.endsWith(end) && entry.method === (method ?? entry.method));
}
