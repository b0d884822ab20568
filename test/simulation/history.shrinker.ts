import type { Feature, HistoryPlan, Operation } from './history.plan.js';
import type { HistoryResult } from './history.run.js';

/** The plans of a history: that of its account, and that of the second one. */
const PARTS = ['own', 'twin'] as const;
type Part = (typeof PARTS)[number];

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
    if (this.plan.twin) this.accepts({ twin: undefined });
    for (let before = -1; before !== this.size();) {
      before = this.size();
      for (const part of PARTS) {
        this.dropOperations(part);
        this.dropFeatures(part);
      }
      this.suppressFaults();
      while (this.plan.replicas > 1 && this.accepts({ replicas: this.plan.replicas - 1 }));
    }
    return this.plan;
  }

  private size(): number {
    const { operations, features, twin, replicas, suppressed } = this.plan;
    return (
      [{ operations, features }, ...(twin ? [twin] : [])].reduce(
        (sum, part) => sum + part.operations.length + Object.keys(part.features).length,
        0,
      ) +
      replicas -
      suppressed.size
    );
  }

  private dropOperations(part: Part): void {
    const planned = (): readonly Operation[] => this.partOf(part)?.operations ?? [];
    for (let chunk = Math.ceil(planned().length / 2); chunk >= 1; chunk >>= 1) {
      for (let at = 0; at < planned().length;) {
        const operations = planned().filter((_, n) => n < at || n >= at + chunk);
        if (!this.acceptsIn(part, { operations })) at += chunk;
      }
    }
  }

  private dropFeatures(part: Part): void {
    for (const feature of Object.keys(this.partOf(part)?.features ?? {}) as Feature[]) {
      const { [feature]: _, ...features } = this.partOf(part)?.features ?? {};
      this.acceptsIn(part, { features });
    }
  }

  private partOf(part: Part): HistoryPlan | undefined {
    return part === 'twin' ? this.plan.twin : this.plan;
  }

  private acceptsIn(part: Part, change: Partial<HistoryPlan>): boolean {
    const { twin } = this.plan;
    return part === 'twin' && twin
      ? this.accepts({ twin: { ...twin, ...change } })
      : this.accepts(change);
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

  private accepts(change: Partial<HistoryPlan> | { twin: undefined }): boolean {
    if (this.runs >= MAX_RUNS) return false;
    this.runs += 1;
    const plan = { ...this.plan, ...change } as HistoryPlan;
    const result = this.run(plan);
    if (result.violation?.rule !== this.rule) return false;
    this.plan = plan;
    this.result = result;
    return true;
  }
}
