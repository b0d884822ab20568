import type { PaymentsStore } from '@tillkit/payments/internal/store';

/** Returns the examples of all anomalies, each with the count of its kind. */
export async function anomaliesOf(
  { anomalies }: PaymentsStore,
  account = 'default',
): Promise<{ what: string; example: string; count: number }[]> {
  return (await anomalies.list(account)).flatMap(({ count, examples }) =>
    examples.map(({ what, example }) => ({ what, example, count })),
  );
}
