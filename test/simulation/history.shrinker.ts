import type { Feature, HistoryPlan } from './history.plan.js';
import type { HistoryResult } from './history.run.js';

/** At most this many runs to shrink one failure. */
const MAX_RUNS = 400;

/** Removes operations, features, faults and replicas from a history as long as it still breaks the same rule. */
export class HistoryShrinker {
  private runs = 0;
  private result: HistoryResult;

  constructor(
    private plan: HistoryPlan,
    private readonly rule: string,
    private readonly run: (plan: HistoryPlan) => HistoryResult,
  ) {
    this.result = run(plan);
  }

  shrink(): HistoryPlan {
    for (let before = -1; before !== this.size();) {
      before = this.size();
      this.dropOperations();
      this.dropFeatures();
      this.suppressFaults();
      while (this.plan.replicas > 1 && this.accepts({ replicas: this.plan.replicas - 1 }));
    }
    return this.plan;
  }

  private size(): number {
    return (
      this.plan.operations.length +
      Object.keys(this.plan.features).length +
      this.plan.replicas -
      this.plan.suppressed.size
    );
  }

  private dropOperations(): void {
    for (let chunk = Math.ceil(this.plan.operations.length / 2); chunk >= 1; chunk >>= 1) {
      for (let at = 0; at < this.plan.operations.length;) {
        const operations = this.plan.operations.filter((_, n) => n < at || n >= at + chunk);
        if (!this.accepts({ operations })) at += chunk;
      }
    }
  }

  private dropFeatures(): void {
    for (const feature of Object.keys(this.plan.features) as Feature[]) {
      const { [feature]: _, ...features } = this.plan.features;
      this.accepts({ features });
    }
  }

  private suppressFaults(): void {
    const all = [...this.result.faults];
    for (let chunk = Math.ceil(all.length / 2); chunk >= 1; chunk >>= 1) {
      const left = [...this.result.faults].filter((name) => !this.plan.suppressed.has(name));
      for (let at = 0; at < left.length; at += chunk) {
        this.accepts({
          suppressed: new Set([...this.plan.suppressed, ...left.slice(at, at + chunk)]),
        });
      }
    }
  }

  private accepts(change: Partial<HistoryPlan>): boolean {
    if (this.runs >= MAX_RUNS) return false;
    this.runs += 1;
    const plan = { ...this.plan, ...change };
    const result = this.run(plan);
    if (result.violation?.rule !== this.rule) return false;
    this.plan = plan;
    this.result = result;
    return true;
  }
}
