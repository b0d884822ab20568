/** One page of the dashboard, asked for with other values each time. */
export interface Visit {
  name: string;
  /** The most that its 95th percentile may be, in milliseconds. */
  reach: number;
  /** The status that says that nothing was found. @default any below 400 */
  status?: number;
  /** Returns the nth request: a path below the dashboard, and a form if it is posted. */
  request(n: number): { path: string; form?: Record<string, string> };
}

const PAGE_MS = 100;
const OVERVIEW_MS = 300;
const DAY = 86_400_000;

/** Returns the payment that the nth request is about: all over the year, and never one that is still open. */
function paymentOf(n: number, payments: number): number {
  return 1 + ((n * 7_368_787) % (payments - 200));
}

function hexOf(n: number): string {
  return n.toString(16).padStart(8, '0');
}

function idOf(n: number): string {
  return `0190${hexOf(n).slice(0, 4)}-${hexOf(n).slice(4)}-7000-8000-000000000000`;
}

/** Returns the receipt of a payment: see the fixture. */
function receiptOf(n: number): string {
  const mixed = (BigInt(n) * 2_654_435_761n) % 4_294_967_296n;
  return `T${mixed.toString(16).padStart(8, '0').toUpperCase()}`;
}

/** Returns a payment that has money. */
function paidOf(n: number, payments: number): number {
  return Math.max(1, paymentOf(n, payments) - (paymentOf(n, payments) % 20));
}

/** Returns a day of the last 300, the nth back. */
function dayOf(n: number): string {
  return new Date(Date.now() - (1 + (n % 300)) * DAY).toISOString().slice(0, 10);
}

/** Returns a month that ends with a day of its own, so that no result of another request is used again. */
function monthOf(n: number): string {
  const to = Date.now() - (n % 300) * DAY;
  const text = (at: number): string => new Date(at).toISOString().slice(0, 10);
  return `from=${text(to - 29 * DAY)}&to=${text(to)}`;
}

/** The visits open the pages that people use all day, and those that are hard to find among many payments. */
export function visitsOf(payments: number): readonly Visit[] {
  const page = (name: string, path: (n: number) => string, reach = PAGE_MS): Visit => ({
    name,
    reach,
    request: (n) => ({ path: path(n) }),
  });
  const posted = (name: string, path: string, form: (n: number) => Record<string, string>) => ({
    name,
    reach: PAGE_MS,
    request: (n: number) => ({ path, form: form(n) }),
  });
  const at = (n: number): number => paymentOf(n, payments);
  const paid = (n: number): number => paidOf(n, payments);
  return [
    page('overview of a month', (n) => `/overview?${monthOf(n)}`, OVERVIEW_MS),
    page('overview of a day', (n) => `/overview?from=${dayOf(n)}&to=${dayOf(n)}`),
    page('totals of a month by day and till', (n) => `/totals?${monthOf(n)}`),
    page('statement of a day', (n) => `/statement?day=${dayOf(n)}`),
    page('payments', () => '/payments'),
    page('payments of a day', (n) => `/payments?from=${dayOf(n)}&to=${dayOf(n - 1)}`),
    page('payments to a till that failed', (n) => `/payments?state=failed&till=51445${n % 8}`),
    page('payments in review', () => '/payments?state=needs_review'),
    page('payments that were reversed', () => '/payments?state=reversed'),
    page('payments by reason', () => '/payments?reason=wrong_pin'),
    page('payments by a source that none has', () => '/payments?source=sweep'),
    page('payments of an amount', (n) => `/payments?amountFrom=${50 + n}&amountTo=${50 + n}`),
    page(
      'payments over an amount of a till',
      (n) => `/payments?amountFrom=4990&till=51445${n % 8}`,
    ),
    page('payments by an order number', (n) => `/payments?key=order-${at(n)}`),
    page(
      'payments by the beginning of an order number',
      (n) => `/payments?key=ORDER-${at(n) % 900}`,
    ),
    page('payments by a receipt', (n) => `/payments?reference=${receiptOf(paid(n))}`),
    posted('payments of a phone number', '/payments/search', (n) => ({
      phone: `+2547${String((at(n) * 7919) % 2_000_000).padStart(8, '0')}`,
    })),
    posted('payments of a name', '/payments/search', () => ({ name: 'Wanjiru' })),
    posted('payments of a whole name', '/payments/search', () => ({ name: 'Wanjiru Otieno' })),
    posted('find half a receipt', '/find', (n) => ({ words: receiptOf(paid(n)).slice(-5) })),
    { ...posted('find a name that nobody has', '/find', () => ({ words: 'Zzyzx' })), status: 404 },
    posted('find an amount', '/find', (n) => ({ words: `KES ${100 + n}` })),
    page('a payment', (n) => `/payments/${idOf(at(n))}`),
    page('till', () => '/transactions'),
    page('till: money without a payment', () => '/transactions?state=unmatched'),
    page('till: payments without money', () => '/transactions?state=unreported'),
    page('till: half a receipt', (n) => `/transactions?reference=${receiptOf(paid(n)).slice(-5)}`),
    page(
      'a transaction',
      (n) => `/transaction?till=51445${paid(n) % 8}&reference=${receiptOf(paid(n))}`,
    ),
    page('deliveries', () => '/deliveries'),
    page('a delivery', (n) => `/deliveries/${idOf(payments - 300 - n * 131)}`),
    page('payouts', () => '/payouts'),
    page('refunds', () => '/refunds'),
    page('payment links', () => '/payment-links'),
    page('dead letters', () => '/dead-letters'),
    page('anomalies', () => '/anomalies'),
    page('sending', () => '/sending'),
  ];
}
