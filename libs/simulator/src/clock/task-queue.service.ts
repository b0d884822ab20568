/** A task that runs at a time of the clock's timeline. */
export interface ScheduledTask {
  readonly at: number;
  readonly cancelled: boolean;
  cancel(): void;
}

interface QueuedTask extends ScheduledTask {
  readonly run: () => void;
  cancelled: boolean;
}

/** The tasks in the order in which they run: the earliest first; tasks of the same time in the order of `push`. */
export class TaskQueue {
  private readonly tasks: QueuedTask[] = [];

  push(at: number, run: () => void): ScheduledTask {
    const task: QueuedTask = {
      at,
      run,
      cancelled: false,
      cancel() {
        this.cancelled = true;
      },
    };
    this.tasks.splice(this.placeOf(at), 0, task);
    return task;
  }

  /** Returns the next task that was not cancelled. It stays in the queue. */
  peek(): ScheduledTask | undefined {
    while (this.tasks[0]?.cancelled) this.tasks.shift();
    return this.tasks[0];
  }

  /** Removes the next task. @returns its function. */
  shift(): (() => void) | undefined {
    return this.peek() && this.tasks.shift()?.run;
  }

  clear(): void {
    this.tasks.length = 0;
  }

  /** Returns the place after all tasks of this time and before it. */
  private placeOf(at: number): number {
    let [low, high] = [0, this.tasks.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.tasks[middle]!.at <= at) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
