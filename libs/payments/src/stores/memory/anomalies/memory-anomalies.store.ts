import { NEVER } from 'rxjs';
import { AnomaliesStore, type Anomaly } from '../../../anomalies/anomalies.store.js';
import { PerAccount } from '../../../runtime/per-account.js';

export class MemoryAnomaliesStore extends AnomaliesStore {
  private readonly anomalies = new PerAccount(() => new Map<string, Anomaly>(), NEVER);

  constructor(private readonly now: () => number) {
    super();
  }

  async record(account: string, what: string, example: string): Promise<void> {
    const anomalies = this.anomalies.of(account);
    const count = (anomalies.get(what)?.count ?? 0) + 1;
    anomalies.set(what, { what, example, count, lastAt: new Date(this.now()) });
  }

  async list(account: string): Promise<Anomaly[]> {
    return [...this.anomalies.of(account).values()];
  }
}
