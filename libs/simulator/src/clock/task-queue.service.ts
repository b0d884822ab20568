/** A task that runs at a time of the clock's timeline. */
export interface ScheduledTask {
  readonly at: number;
  readonly cancelled: boolean;
  cancel(): void;
}

interface QueuedTask extends ScheduledTask {
  readonly order: number;
  readonly run: () => void;
  cancelled: boolean;
}

/** Priority queue (binary heap): the earliest task first; tasks of the same time in the order of `push`. */
export class TaskQueue {
  private readonly heap: QueuedTask[] = [];
  private queued = 0;

  push(at: number, run: () => void): ScheduledTask {
    const task: QueuedTask = {
      at,
      run,
      order: this.queued++,
      cancelled: false,
      cancel() {
        this.cancelled = true;
      },
    };
    this.heap.push(task);
    this.rise(this.heap.length - 1);
    return task;
  }

  /** The next task that was not cancelled. It stays in the queue. */
  peek(): ScheduledTask | undefined {
    while (this.heap[0]?.cancelled) this.remove();
    return this.heap[0];
  }

  /** Removes the next task. @returns its function. */
  shift(): (() => void) | undefined {
    return this.peek() ? this.remove()?.run : undefined;
  }

  clear(): void {
    this.heap.length = 0;
  }

  private remove(): QueuedTask | undefined {
    const first = this.heap[0];
    const last = this.heap.pop();
    if (last && this.heap.length > 0) {
      this.heap[0] = last;
      this.sink(0);
    }
    return first;
  }

  private rise(start: number): void {
    let index = start;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!this.before(index, parent)) return;
      this.swap(index, parent);
      index = parent;
    }
  }

  private sink(start: number): void {
    let index = start;
    for (;;) {
      const left = index * 2 + 1;
      const right = left + 1;
      let first = index;
      if (left < this.heap.length && this.before(left, first)) first = left;
      if (right < this.heap.length && this.before(right, first)) first = right;
      if (first === index) return;
      this.swap(index, first);
      index = first;
    }
  }

  private before(left: number, right: number): boolean {
    const a = this.heap[left]!;
    const b = this.heap[right]!;
    return a.at === b.at ? a.order < b.order : a.at < b.at;
  }

  private swap(left: number, right: number): void {
    const kept = this.heap[left]!;
    this.heap[left] = this.heap[right]!;
    this.heap[right] = kept;
  }
}
