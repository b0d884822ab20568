import type { CampaignWorld } from './campaign.world.js';

/** Waits for orders to be paid, by the events that listeners receive. */
export class PaidOrders {
  private readonly waiting = new Map<string, () => void>();
  private readonly paid = new Set<string>();
  private readonly stopListening: () => void;

  constructor(world: CampaignWorld) {
    this.stopListening = world.replicas.onReceived(({ name, subject }) => {
      if (name !== 'payment.succeeded') return;
      this.paid.add(subject);
      this.waiting.get(subject)?.();
    });
  }

  /** Resolves when a listener received payment.succeeded, or after so long; with whether it did. */
  async untilPaid(paymentId: string, patienceMs: number): Promise<boolean> {
    if (this.paid.has(paymentId)) return true;
    return new Promise((resolve) => {
      const end = (isPaid: boolean): void => {
        clearTimeout(timer);
        this.waiting.delete(paymentId);
        resolve(isPaid);
      };
      const timer = setTimeout(end, patienceMs, false);
      this.waiting.set(paymentId, () => end(true));
    });
  }

  stop(): void {
    this.stopListening();
  }
}
