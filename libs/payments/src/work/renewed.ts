import type { CancelTimer, Runtime } from './runtime.js';

/**
 * Does work under a short lease, and renews the lease meanwhile after each third of it: when the process dies, others wait only for what is left of it. A renewal
 * that fails is not repeated before the next one. Nothing is renewed after this has ended.
 */
export async function renewedWhile<T>(
  runtime: Pick<Runtime, 'timer'>,
  leaseMs: number,
  renew: () => Promise<unknown>,
  work: () => Promise<T>,
): Promise<T> {
  let cancel: CancelTimer = () => undefined;
  let renewal: Promise<unknown> = Promise.resolve();
  const later = (): void => {
    cancel = runtime.timer(
      leaseMs / 3,
      () => {
        renewal = renewal.then(renew).catch(() => undefined);
        later();
      },
      { background: true },
    );
  };
  later();
  try {
    return await work();
  } finally {
    cancel();
    await renewal;
  }
}
