/** One process of a replica, from its start to its death. Steps of a dead one never run. */
export interface Life {
  readonly name: string;
  alive: boolean;
}

export interface Timer {
  cancel(): void;
}

interface Step {
  readonly label: string;
  readonly life: Life | null;
  readonly run: () => void;
}

/** What a look for work looks for. */
export type Queue =
  'payments' | 'followed payments' | 'callbacks' | 'webhooks' | 'calls' | `claims of ${string}`;

/** Later changes are rounded to the second, so that those of one second make one look. */
const EXACT_MS = 5_000;

interface Waiting extends Step, Timer {
  looksFor: Queue | null;
  /** Looks of one group find the same: the work loop of one name in every process. */
  group: string;
  at: number;
  order: number;
  cancelled: boolean;
}

/** Where every history begins: no history depends on the real date. */
export const BEGINNING = Date.UTC(2026, 0, 20, 8, 0, 0);

/** A history that takes more steps than this does not come to rest: something repeats itself for ever. */
const MOST_STEPS = 150_000;

/** More steps than this in one second of virtual time: something asks again and again without waiting. */
const MOST_STEPS_A_SECOND = 3_000;

/** Runs all microtasks now, so that a history runs whole without the event loop. */
const drainMicrotasks = (process as unknown as { _tickCallback: () => void })._tickCallback;

/**
 * Owns time and order. Every asynchronous step that leaves the library is parked here; the next one is picked by chance.
 * Time goes on only when nothing else can run.
 */
export class Scheduler {
  now = BEGINNING;
  /** The process whose code runs at this moment: timers that it sets without naming itself are its own. */
  current: Life | null = null;
  steps = 0;
  stopped = false;
  /** Something outside of virtual time is under way, and nothing may run until it has ended. */
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
    /** Whether a look for work in a queue would find some now. */
    private readonly isWorthwhile: (queue: Queue | null) => boolean = () => true,
  ) {
    this.trace = recording ? [] : null;
  }

  /** Two runs of one seed took the same steps when this is the same. */
  get traceHash(): number {
    return this.hash >>> 0;
  }

  get parked(): number {
    return this.ready.length;
  }

  get timers(): number {
    return this.heap.length + this.dormant.length;
  }

  /** Something happened that is worth reading in a trace and is no step. */
  note(text: string): void {
    this.trace?.push(`${this.clock()}   ${text}`);
  }

  /** Lets a step run when its turn is drawn. */
  park(life: Life | null, label: string, run: () => void): void {
    this.ready.push({ life, label, run });
  }

  /** Lets a step run once the time has come. */
  after(ms: number, life: Life | null, label: string, run: () => void): Timer {
    const waiting = this.waiting(ms, life, label, run);
    this.push(waiting);
    return waiting;
  }

  /**
   * A look for work that another process may have left. While nothing changes in the store it would find nothing, so it
   * runs only once something may have changed.
   * @param queue what it looks for; null: anything
   */
  afterChange(
    ms: number,
    life: Life,
    { label, queue, group }: { label: string; queue: Queue | null; group: string },
    run: () => void,
  ): Timer {
    const waiting = this.waiting(ms, life, label, run);
    waiting.looksFor = queue;
    waiting.group = group;
    this.dormant.push(waiting);
    return waiting;
  }

  /** A queue of the store changed, or all of them: one process of each group looks for work in it. */
  changed(queue: Queue | null = null): void {
    const { dormant } = this;
    const chosen = new Map<string, Waiting[]>();
    let kept = 0;
    for (const waiting of dormant) {
      if (waiting.cancelled || waiting.life?.alive === false) continue;
      const { looksFor, group } = waiting;
      const looks =
        looksFor === queue ||
        ((queue === null || looksFor === null) && !isClaims(looksFor ?? queue));
      if (looks) {
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

  /** A queue will have changed by itself after so long: a lease ends, a payment is due. */
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

  /** Runs everything that happens up to a time. */
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
      while (next && (next.cancelled || next.life?.alive === false)) {
        this.pop();
        next = this.heap[0];
      }
      const change = this.changesAt.at(-1);
      if (change !== undefined && change.at <= (next?.at ?? Infinity)) {
        if (change.at > end) return false;
        this.now = Math.max(this.now, change.at);
        this.changesAt.pop();
        // Most leases are over long before their time: what was done in it is no reason to look.
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
    if (step.life?.alive === false || (step as Waiting).cancelled) return;
    this.steps += 1;
    const { label } = step;
    for (let at = 0; at < label.length; at += 1) {
      this.hash = Math.imul(this.hash ^ label.charCodeAt(at), 0x01000193);
    }
    this.hash = Math.imul(this.hash ^ (this.now & 0x7fffffff), 0x01000193);
    this.trace?.push(`${this.clock()} ${label}`);
    this.current = step.life;
    step.run();
    drainMicrotasks();
    this.current = null;
    if (this.steps > MOST_STEPS) this.overrun(`no rest after ${this.steps} steps`);
    const second = Math.floor(this.now / 1000);
    if (second !== this.second) {
      this.second = second;
      this.stepsInSecond = 0;
    }
    this.stepsInSecond += 1;
    if (this.stepsInSecond > MOST_STEPS_A_SECOND) {
      this.overrun(`${this.stepsInSecond} steps in one second, the last is "${label}"`);
    }
  }

  private waiting(ms: number, life: Life | null, label: string, run: () => void): Waiting {
    const waiting: Waiting = {
      at: this.now + Math.max(0, Math.ceil(ms)),
      order: (this.order += 1),
      cancelled: false,
      looksFor: null,
      group: '',
      life,
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

function isClaims(queue: Queue | null): boolean {
  return queue?.startsWith('claims of') === true;
}

function isBefore(one: Waiting, other: Waiting): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}
