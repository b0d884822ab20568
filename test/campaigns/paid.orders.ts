import type { CampaignEnvironment } from './campaign.environment.js';

/** Waits for `payment.succeeded` at listeners. */
export class PaidOrders {
  private readonly waiting = new Map<string, () => void>();
  private readonly paid = new Set<string>();
  private readonly stopListening: () => void;

  constructor(environment: CampaignEnvironment) {
    this.stopListening = environment.replicas.onReceived(({ name, subject }) => {
      if (name !== 'payment.succeeded') return;
      this.paid.add(subject);
      this.waiting.get(subject)?.();
    });
  }

  /** Resolves with whether a listener received `payment.succeeded` within the timeout. */
  async untilPaid(paymentId: string, timeoutMs: number): Promise<boolean> {
    if (this.paid.has(paymentId)) return true;
    return new Promise((resolve) => {
      const end = (isPaid: boolean): void => {
        clearTimeout(timer);
        this.waiting.delete(paymentId);
        resolve(isPaid);
      };
      const timer = setTimeout(end, timeoutMs, false);
      this.waiting.set(paymentId, () => end(true));
    });
  }

  stop(): void {
    this.stopListening();
  }
}
