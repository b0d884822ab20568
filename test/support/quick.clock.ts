import { ModulesContainer } from '@nestjs/core';
import type { TestingModule } from '@nestjs/testing';

/** Longer times are limits, not waits: they stay as long as they are, for a busy machine. */
const LONGEST_WAIT_MS = 30_000;

/** What an application measures its waits with. */
interface Clock {
  elapsed(): number;
  timer(ms: number, call: () => void, options?: { background?: boolean }): () => void;
}

/** Lets the clock of an application's waits run faster, before it starts. The wall clock and that of the store stay as they are. */
export function quicken(module: TestingModule, speed: number): void {
  const clock = clockOf(module);
  const [elapsed, timer] = [clock.elapsed.bind(clock), clock.timer.bind(clock)];
  clock.elapsed = () => elapsed() * speed;
  clock.timer = (ms, call, options) => timer(ms > LONGEST_WAIT_MS ? ms : ms / speed, call, options);
}

/** The packages don't export it. */
function clockOf(module: TestingModule): Clock {
  for (const { providers } of module.get(ModulesContainer, { strict: false }).values()) {
    for (const [token, { instance }] of providers)
      if (typeof token === 'function' && token.name === 'Runtime') return instance as Clock;
  }
  throw new Error('the application has no clock');
}
