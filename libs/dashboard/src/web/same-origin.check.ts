import { DashboardProblem } from './dashboard.problem.js';
import type { PlatformRequest } from './platform.request.js';

/**
 * Refuses a change that another site's page has sent with the operator's own cookies. Browsers say where a request comes
 * from; one that says nothing is no browser that we could trust to.
 * @throws DashboardProblem 403
 */
export function assertSameOrigin({ headers }: PlatformRequest): void {
  const site = headers['sec-fetch-site'];
  if (site === undefined ? isOwnOrigin(headers.origin, headers.host) : site === 'same-origin') {
    return;
  }
  throw new DashboardProblem(
    403,
    'This did not come from these pages',
    'A change is taken only from a form of the dashboard itself. Open the page anew, and send the form again.',
  );
}

function isOwnOrigin(origin: string | undefined, host: string | undefined): boolean {
  if (!origin || !host || !URL.canParse(origin)) return false;
  return new URL(origin).host === host.toLowerCase();
}
