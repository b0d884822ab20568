/** Ends a request when its time is over or the application closes, and leaves nothing behind when it ends by itself. */
export class RequestDeadline {
  private readonly controller = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private readonly close = (): void => this.controller.abort();

  /** @param closing a signal that ends the request as well */
  constructor(
    timeoutMs: number,
    private readonly closing?: AbortSignal,
  ) {
    this.timer = setTimeout(
      () => this.controller.abort(new DOMException('its time is over', 'TimeoutError')),
      timeoutMs,
    );
    if (!closing) return;
    if (closing.aborted) this.close();
    else closing.addEventListener('abort', this.close);
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  clear(): void {
    clearTimeout(this.timer);
    this.closing?.removeEventListener('abort', this.close);
  }
}
