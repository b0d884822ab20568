const TITLES: Record<number, string> = {
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  408: 'Request Timeout',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

/** The answer to every error on our routes. It has the status only: a reason would help an attacker. */
export function problemOf(status: number): { status: number; type: string; text: string } {
  return {
    status,
    type: 'application/problem+json',
    // A text, because Nest 11 on Express changes the content type of an object.
    text: JSON.stringify({ type: 'about:blank', title: TITLES[status] ?? 'Error', status }),
  };
}
