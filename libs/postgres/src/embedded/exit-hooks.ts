const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Does something when this process ends. An application that handles signals itself, as Nest's shutdown hooks do, is left
 * to drain: it is done at its exit. One that does not would end without a word: it is done at the signal.
 * @returns undoes it
 */
export function atEndOfProcess(work: () => void): () => void {
  const onExit = (): void => {
    try {
      work();
    } catch {
      // nobody is left to hear of it, and the next start sorts it out
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
