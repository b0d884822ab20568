const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs work when this process ends. If the application handles signals, as Nest does with shutdown hooks, the work runs at
 * the exit, after the application has drained. Otherwise a signal would end the process at once, so the work runs at the signal.
 * @returns a function that removes the hooks
 */
export function atEndOfProcess(work: () => void): () => void {
  const onExit = (): void => {
    try {
      work();
    } catch {
      // The process ends now, and nothing can handle the error. The next start repairs what is left.
    }
  };
  const onSignal = (signal: NodeJS.Signals): void => {
    process.off(signal, onSignal);
    if (process.listenerCount(signal) > 0) return;
    process.off('exit', onExit);
    onExit();
    process.kill(process.pid, signal);
  };
  process.on('exit', onExit);
  for (const signal of SIGNALS) process.on(signal, onSignal);
  return () => {
    process.off('exit', onExit);
    for (const signal of SIGNALS) process.off(signal, onSignal);
  };
}
