/** Aborts a request at its deadline, or when the application closes. `clear()` removes the timer and the listener. */
export class RequestDeadline {
  private readonly controller = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private readonly close = (): void => this.controller.abort();

  /** @param shutdown a signal that aborts the request as well */
  constructor(
    timeoutMs: number,
    private readonly shutdown?: AbortSignal,
  ) {
    this.timer = setTimeout(
      () => this.controller.abort(new DOMException('the deadline is over', 'TimeoutError')),
      timeoutMs,
    );
    if (!shutdown) return;
    if (shutdown.aborted) this.close();
    else shutdown.addEventListener('abort', this.close);
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  clear(): void {
    clearTimeout(this.timer);
    this.shutdown?.removeEventListener('abort', this.close);
  }
}
