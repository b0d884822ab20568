import { CannotListenError, Simulator, type SimulatorOptions } from '@tillkit/simulator';
import { PRACTICE_PORT, PracticePlatform } from './practice.platform.js';

/** Slow enough that a person sees each step. */
const HUMAN_TIMINGS = { prompt: 900, answer: 4_000, processing: 900 };

/** A simulated platform in the shop's own process: it ends with it. */
export class InProcessPlatform extends PracticePlatform {
  private constructor(readonly simulator: Simulator) {
    super(simulator);
  }

  /** Starts on the usual port, or on a free one when that is taken. */
  static async start(options: SimulatorOptions = {}): Promise<InProcessPlatform> {
    const wanted = { port: PRACTICE_PORT, timings: HUMAN_TIMINGS, ...options };
    try {
      return new InProcessPlatform(await Simulator.start(wanted));
    } catch (error) {
      if (!(error instanceof CannotListenError)) throw error;
      return new InProcessPlatform(await Simulator.start({ ...wanted, port: 0 }));
    }
  }

  stop(): Promise<void> {
    return this.simulator.stop();
  }
}
