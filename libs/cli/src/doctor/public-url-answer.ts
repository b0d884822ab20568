import type { HttpAnswer } from '../http-answer.js';
import { failed, ok, warning, type Finding } from './check.js';

const PREFIX =
  'If the application has a global prefix, give it with --prefix; if it has another path, set PAYMENTS_PATH.';
const PROXY = 'Let the proxy pass this path, with all that is below it, to the application.';

/** Says who has answered a delivery that nobody signed. */
export function judgeAnswer(url: string, answer: HttpAnswer): Finding {
  if (isProblem(answer)) return judgeOurs(url, answer.status);
  if (answer.status >= 300 && answer.status < 400) return judgeRedirect(url, answer);
  if (isPage(answer) && /type\s*=\s*["']?password/i.test(answer.text))
    return failed(
      `a login page answers at ${url}${titleOf(answer)}`,
      'Let deliveries pass without a login: they are verified by their signature.',
    );
  if (answer.status === 502 || answer.status === 504 || answer.status >= 520)
    return failed(
      `${serverOf(answer)} answers ${answer.status}: it does not reach the application`,
      'Start the application, and correct the address to which the proxy passes requests.',
    );
  return isNest(answer) ? judgeApplication(url, answer) : judgeOther(url, answer);
}

/** Our routes answer errors as a problem document that has nothing but the status. */
function isProblem({ type, status, text }: HttpAnswer): boolean {
  if (!type.startsWith('application/problem+json')) return false;
  const { type: kind, title, status: named, ...more } = jsonOf(text);
  return (
    kind === 'about:blank' &&
    typeof title === 'string' &&
    named === status &&
    Object.keys(more).length === 0
  );
}

function judgeOurs(url: string, status: number): Finding {
  if (status === 401) return ok(`our routes answer at ${url}`);
  if (status === 404)
    return failed(
      `our routes answer at ${url}, but the application does not have this account`,
      'Check --account, and whether PaymentsAccountsSource of the application returns it.',
    );
  return warning(
    `our routes answer ${status} at ${url}`,
    status === 503
      ? 'The application cannot serve deliveries now: look at its log and at its database.'
      : 'Look at the log of the application: it says why it refused the delivery.',
  );
}

function judgeRedirect(url: string, { status, location, ...rest }: HttpAnswer): Finding {
  const target = URL.canParse(location, url) ? new URL(location, url) : null;
  const isLogin = /log-?in|sign-?in|auth|sso/i.test(location);
  const found = `${serverOf({ status, location, ...rest })} redirects ${url} (${status}) to ${location || 'nowhere'}`;
  if (isLogin)
    return failed(
      `${found}: a login page`,
      'Let deliveries pass without a login: they are verified by their signature.',
    );
  const cure = target
    ? `The platform follows no redirects: set PAYMENTS_PUBLIC_URL to the address at ${target.origin} that answers itself, or end the redirect.`
    : 'The platform follows no redirects: end the redirect.';
  return failed(found, cure);
}

/** The answer comes from a NestJS application, which has its own words for errors. */
function judgeApplication(url: string, answer: HttpAnswer): Finding {
  const { status } = answer;
  if (status === 404)
    return failed(
      `a NestJS or Express application answers, and has no route ${new URL(url).pathname}`,
      `${PREFIX} If it is another application, correct the proxy. If it is yours, import PaymentsModule in it.`,
    );
  if (status === 401 || status === 403)
    return failed(
      `a guard of the application refuses deliveries (${status})`,
      'Let our routes pass it: PaymentsModule.forRoot({ controllerDecorators: [Public()] }), with the decorator that your guard knows.',
    );
  if (status === 429)
    return failed(
      'a rate limit of the application refuses deliveries (429)',
      'Let our routes pass it: PaymentsModule.forRoot({ controllerDecorators: [SkipThrottle()] }).',
    );
  return failed(
    `a NestJS application answers ${status} in its own words at ${url}`,
    `A middleware, pipe or filter answers before our routes: look at its log. ${PREFIX}`,
  );
}

function judgeOther(url: string, answer: HttpAnswer): Finding {
  const { status } = answer;
  const who = serverOf(answer);
  if (status === 404 || status === 405)
    return failed(
      `${who} answers ${status} at ${url}, and does not pass it on${titleOf(answer)}`,
      `${PROXY} ${PREFIX}`,
    );
  if (status === 401 || status === 403)
    return failed(
      `${who} refuses deliveries (${status})${titleOf(answer)}`,
      'Let deliveries pass the firewall or the login of the proxy: they are verified by their signature.',
    );
  if (status === 503)
    return failed(
      `${who} answers 503${titleOf(answer)}`,
      'Start the application, and look at the proxy.',
    );
  return failed(
    `another application answers ${status} at ${url}${titleOf(answer)}`,
    `Correct PAYMENTS_PUBLIC_URL or the proxy. ${PREFIX}`,
  );
}

function isNest({ type, text }: HttpAnswer): boolean {
  if (type.startsWith('text/html')) return /<pre>Cannot POST /.test(text);
  const { statusCode, message } = jsonOf(text);
  return typeof statusCode === 'number' && message !== undefined;
}

function isPage({ type }: HttpAnswer): boolean {
  return type.startsWith('text/html');
}

function serverOf({ server, text }: HttpAnswer): string {
  const name =
    /^[\w .()/-]{1,60}$/.exec(server)?.[0] ?? /<center>(nginx[^<]{0,20})</.exec(text)?.[1];
  return name ? `the server "${name}"` : 'something without a name';
}

function titleOf({ text, type }: HttpAnswer): string {
  const title = type.startsWith('text/html')
    ? /<title[^>]*>([^<]{1,80})/i.exec(text)?.[1]?.trim()
    : undefined;
  return title ? `: a page with the title "${title}"` : '';
}

function jsonOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
