/** A step belongs to this process. Steps of a process that has ended never run. */
export interface StepOwner {
  readonly name: string;
  alive: boolean;
}

export interface Timer {
  cancel(): void;
}

interface Step {
  readonly label: string;
  readonly owner: StepOwner | null;
  readonly run: () => void;
}

/** The queue that changes. Finders look when any of them has changed. */
export type Queue =
  | 'payments'
  | 'followed payments'
  | 'callbacks'
  | 'webhooks'
  | 'calls'
  | 'planned work'
  | `claims of ${string}`;

/** Later changes are rounded to the second, so that all changes of one second cause one look. */
const EXACT_MS = 5_000;

interface Waiting extends Step, Timer {
  polls: Queue | null;
  /** The finders of all processes are one group: one of them looks for all. */
  group: string;
  at: number;
  order: number;
  cancelled: boolean;
}

/** The time at which every history begins, independent of the real date. */
export const BEGINNING = Date.UTC(2026, 0, 20, 8, 0, 0);

/** A history with more steps than this does not terminate. */
const MAX_STEPS = 150_000;

/** More steps than this in one virtual second mean a loop without a wait. */
const MAX_STEPS_A_SECOND = 3_000;

/** Runs all microtasks now, so that a history runs without the event loop. */
const drainMicrotasks = (process as unknown as { _tickCallback: () => void })._tickCallback;

/**
 * Owns time and order. Every asynchronous step that leaves the library is parked here, and the next one is drawn by the seed.
 * Virtual time advances only when no step is ready.
 */
export class Scheduler {
  now = BEGINNING;
  /** The process whose code runs now. Timers that it sets with global functions belong to it. */
  current: StepOwner | null = null;
  steps = 0;
  /** The number of times that any queue has changed. */
  changes = 0;
  stopped = false;
  /** True while real work runs outside of virtual time. No step may run until that work has ended. */
  paused = false;
  readonly trace: string[] | null;
  private hash = 0;
  private order = 0;
  private second = 0;
  private stepsInSecond = 0;
  private readonly ready: Step[] = [];
  private readonly heap: Waiting[] = [];
  private readonly dormant: Waiting[] = [];
  private readonly changesAt: { at: number; queue: Queue | null }[] = [];

  constructor(
    private readonly draw: () => number,
    private readonly overrun: (what: string) => void,
    recording: boolean,
    /** True when a claim on a queue would find due work now. */
    private readonly isWorthwhile: (queue: Queue | null) => boolean = () => true,
    /** Each account may take as many steps as a history with one. */
    private readonly accounts = 1,
  ) {
    this.trace = recording ? [] : null;
  }

  /** Hash of all steps: two runs with the same hash took the same steps. */
  get traceHash(): number {
    return this.hash >>> 0;
  }

  get parked(): number {
    return this.ready.length;
  }

  get timers(): number {
    return this.heap.length + this.dormant.length;
  }

  /** Adds a line to the trace that is not a step. */
  note(text: string): void {
    this.trace?.push(`${this.clock()}   ${text}`);
  }

  /** Adds a step that is ready to run. */
  park(owner: StepOwner | null, label: string, run: () => void): void {
    this.ready.push({ owner, label, run });
  }

  /** Adds a step that becomes ready after a time. */
  after(ms: number, owner: StepOwner | null, label: string, run: () => void): Timer {
    const waiting = this.waiting(ms, owner, label, run);
    this.push(waiting);
    return waiting;
  }

  /**
   * Adds a timer that would find nothing before a queue has changed. It runs only after that.
   * @param queue null means any queue
   */
  afterChange(
    ms: number,
    owner: StepOwner,
    { label, queue, group }: { label: string; queue: Queue | null; group: string },
    run: () => void,
  ): Timer {
    const waiting = this.waiting(ms, owner, label, run);
    waiting.polls = queue;
    waiting.group = group;
    this.dormant.push(waiting);
    return waiting;
  }

  /** The simulation calls this when a queue has changed, or all of them: one timer of each group runs. */
  changed(queue: Queue | null = null): void {
    const { dormant } = this;
    if (!isClaims(queue)) this.changes += 1;
    const chosen = new Map<string, Waiting[]>();
    let kept = 0;
    for (const waiting of dormant) {
      if (waiting.cancelled || waiting.owner?.alive === false) continue;
      const { polls, group } = waiting;
      const isWoken =
        polls === queue || ((queue === null || polls === null) && !isClaims(polls ?? queue));
      if (isWoken) {
        const others = chosen.get(group);
        if (others) others.push(waiting);
        else chosen.set(group, [waiting]);
      }
      dormant[kept] = waiting;
      kept += 1;
    }
    dormant.length = kept;
    for (const group of chosen.values()) {
      const waiting = group[
        group.length === 1 ? 0 : Math.floor(this.draw() * group.length)
      ] as Waiting;
      dormant.splice(dormant.indexOf(waiting), 1);
      if (waiting.at < this.now) waiting.at = this.now + 1;
      this.push(waiting);
    }
  }

  /** The simulation calls this when a queue will change by itself after a time, because a lease ends or work becomes due. */
  changesAfter(ms: number, queue: Queue | null = null): void {
    const exact = this.now + Math.ceil(ms) + 1;
    const at = ms < EXACT_MS ? exact : Math.ceil(exact / 1000) * 1000;
    const times = this.changesAt;
    let index = times.length;
    while (index > 0 && (times[index - 1]?.at ?? 0) < at) index -= 1;
    const same = times[index - 1];
    if (same?.at === at && same.queue === queue) return;
    times.splice(index, 0, { at, queue });
  }

  /** Runs all steps up to a time. */
  runUntil(end: number): void {
    while (!this.stopped && !this.paused) {
      const { ready } = this;
      if (ready.length > 0) {
        const index = ready.length === 1 ? 0 : Math.floor(this.draw() * ready.length);
        const step = ready[index] as Step;
        const last = ready.pop() as Step;
        if (index < ready.length) ready[index] = last;
        this.execute(step);
        continue;
      }
      if (!this.advance(end)) break;
    }
    if (!this.stopped && !this.paused) this.now = Math.max(this.now, end);
  }

  clock(): string {
    const ms = this.now - BEGINNING;
    const days = Math.floor(ms / 86_400_000);
    return `${days}d ${new Date(ms).toISOString().slice(11, 23)}`;
  }

  private advance(end: number): boolean {
    for (;;) {
      let next = this.heap[0];
      while (next && (next.cancelled || next.owner?.alive === false)) {
        this.pop();
        next = this.heap[0];
      }
      const change = this.changesAt.at(-1);
      if (change !== undefined && change.at <= (next?.at ?? Infinity)) {
        if (change.at > end) return false;
        this.now = Math.max(this.now, change.at);
        this.changesAt.pop();
        // Most work ends before its lease does, so most ends of leases need no look.
        if (this.isWorthwhile(change.queue)) this.changed(change.queue);
        continue;
      }
      if (!next || next.at > end) return false;
      this.now = Math.max(this.now, next.at);
      while (next && next.at <= this.now) {
        this.pop();
        if (!next.cancelled) this.ready.push(next);
        next = this.heap[0];
      }
      return true;
    }
  }

  private execute(step: Step): void {
    if (step.owner?.alive === false || (step as Waiting).cancelled) return;
    this.steps += 1;
    const { label } = step;
    for (let at = 0; at < label.length; at += 1) {
      this.hash = Math.imul(this.hash ^ label.charCodeAt(at), 0x01000193);
    }
    this.hash = Math.imul(this.hash ^ (this.now & 0x7fffffff), 0x01000193);
    this.trace?.push(`${this.clock()} ${label}`);
    this.current = step.owner;
    step.run();
    drainMicrotasks();
    this.current = null;
    if (this.steps > MAX_STEPS * this.accounts)
      this.overrun(`it has not ended after ${this.steps} steps`);
    const second = Math.floor(this.now / 1000);
    if (second !== this.second) {
      this.second = second;
      this.stepsInSecond = 0;
    }
    this.stepsInSecond += 1;
    if (this.stepsInSecond > MAX_STEPS_A_SECOND * this.accounts) {
      this.overrun(`${this.stepsInSecond} steps in one second, the last is "${label}"`);
    }
  }

  private waiting(ms: number, owner: StepOwner | null, label: string, run: () => void): Waiting {
    const waiting: Waiting = {
      at: this.now + Math.max(0, Math.ceil(ms)),
      order: (this.order += 1),
      cancelled: false,
      polls: null,
      group: '',
      owner,
      label,
      run,
      cancel: () => {
        waiting.cancelled = true;
        const index = this.dormant.indexOf(waiting);
        if (index >= 0) this.dormant.splice(index, 1);
      },
    };
    return waiting;
  }

  private push(waiting: Waiting): void {
    const { heap } = this;
    let at = heap.length;
    heap.push(waiting);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (isBefore(heap[parent] as Waiting, waiting)) break;
      heap[at] = heap[parent] as Waiting;
      at = parent;
    }
    heap[at] = waiting;
  }

  private pop(): void {
    const { heap } = this;
    const last = heap.pop() as Waiting;
    if (heap.length === 0) return;
    let at = 0;
    for (;;) {
      let child = at * 2 + 1;
      if (child >= heap.length) break;
      const right = heap[child + 1];
      if (right && isBefore(right, heap[child] as Waiting)) child += 1;
      if (isBefore(last, heap[child] as Waiting)) break;
      heap[at] = heap[child] as Waiting;
      at = child;
    }
    heap[at] = last;
  }
}

/** The scheduler of one account: its steps have the name of the account in the trace. */
export class LabelledScheduler {
  constructor(
    private readonly scheduler: Scheduler,
    private readonly prefix: string,
  ) {}

  get now(): number {
    return this.scheduler.now;
  }

  get parked(): number {
    return this.scheduler.parked;
  }

  get timers(): number {
    return this.scheduler.timers;
  }

  note(text: string): void {
    this.scheduler.note(`${this.prefix}${text}`);
  }

  park(owner: StepOwner | null, label: string, run: () => void): void {
    this.scheduler.park(owner, `${this.prefix}${label}`, run);
  }

  after(ms: number, owner: StepOwner | null, label: string, run: () => void): Timer {
    return this.scheduler.after(ms, owner, `${this.prefix}${label}`, run);
  }

  changed(queue: Queue | null = null): void {
    this.scheduler.changed(queue);
  }

  changesAfter(ms: number, queue: Queue | null = null): void {
    this.scheduler.changesAfter(ms, queue);
  }
}

function isClaims(queue: Queue | null): boolean {
  return queue?.startsWith('claims of') === true;
}

function isBefore(one: Waiting, other: Waiting): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}
