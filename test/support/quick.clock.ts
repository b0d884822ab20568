import type { INestApplicationContext } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';

/** Longer times are limits, not waits. They keep their length, for a busy machine. */
const LONGEST_WAIT_MS = 30_000;

/** An application measures its waits with this clock. */
interface Clock {
  elapsed(): number;
  timer(ms: number, call: () => void, options?: { background?: boolean }): () => void;
}

/**
 * Makes the clock of an application's waits run faster, before it starts. The wall clock and the clock of the store do not change: see
 * {@link quickTime}.
 */
export function quicken(app: INestApplicationContext, speed: number): void {
  if (speed === 1) return;
  const clock = clockOf(app);
  const [elapsed, timer] = [clock.elapsed.bind(clock), clock.timer.bind(clock)];
  clock.elapsed = () => elapsed() * speed;
  clock.timer = (ms, call, options) => timer(ms > LONGEST_WAIT_MS ? ms : ms / speed, call, options);
}

/** Returns a clock for a store in memory. Its ages grow as fast as the waits of its application end. */
export function quickTime(speed: number): () => number {
  const begun = Date.now();
  return () => begun + (Date.now() - begun) * speed;
}

/** The packages don't export it. */
function clockOf(app: INestApplicationContext): Clock {
  for (const { providers } of app.get(ModulesContainer, { strict: false }).values()) {
    for (const [token, { instance }] of providers)
      if (typeof token === 'function' && token.name === 'Runtime') return instance as Clock;
  }
  throw new Error('the application has no clock');
}
