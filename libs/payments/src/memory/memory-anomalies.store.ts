import { NEVER } from 'rxjs';
import {
  AnomaliesStore,
  type Anomaly,
  type AnomalyExample,
  anomalyKind,
  keptExample,
  MOST_EXAMPLES,
} from '../store/anomalies.store.js';
import { PerAccount } from '../runtime/per-account.js';

export class MemoryAnomaliesStore extends AnomaliesStore {
  private readonly anomalies = new PerAccount(() => new Map<string, Anomaly>(), NEVER);

  constructor(private readonly now: () => number) {
    super();
  }

  async record(account: string, what: string, example: string): Promise<void> {
    const [kind, lastAt] = [anomalyKind(what), new Date(this.now())];
    const of = this.anomalies.get(account);
    const before = of.get(kind);
    const kept = keptExample(what, example);
    const others = (before?.examples ?? []).filter(
      (one) => one.what !== kept.what || one.example !== kept.example,
    );
    const examples = [{ ...kept, at: lastAt }, ...others].slice(0, MOST_EXAMPLES);
    of.set(kind, { kind, count: (before?.count ?? 0) + 1, lastAt, examples });
  }

  async list(account: string): Promise<Anomaly[]> {
    return [...this.anomalies.get(account).values()];
  }

  deleteExamples(account: string, isChosen: (example: AnomalyExample) => boolean): void {
    for (const anomaly of this.anomalies.get(account).values())
      anomaly.examples = anomaly.examples.filter((example) => !isChosen(example));
  }

  deleteOld(account: string, olderThanMs: number): void {
    const of = this.anomalies.get(account);
    for (const [kind, { lastAt }] of of)
      if (lastAt.getTime() <= this.now() - olderThanMs) of.delete(kind);
  }
}
