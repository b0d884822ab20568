import { Module, type OnApplicationShutdown } from '@nestjs/common';
import type { SimulatorOptions } from '../simulator.options.js';
import { Simulator } from '../simulator.js';
import { ConfigurableModuleClass, SIMULATOR_OPTIONS } from './simulator.module-definition.js';

/**
 * A simulator inside a Nest application or a testing module. It starts before the providers that inject it and stops
 * after the application has shut down.
 *
 * @example
 * Test.createTestingModule({ imports: [SimulatorModule.forRoot({ timings: INSTANT_TIMINGS })] })
 * @publicApi
 */
@Module({
  providers: [
    {
      provide: Simulator,
      inject: [SIMULATOR_OPTIONS],
      useFactory: (options: SimulatorOptions) => Simulator.start(options),
    },
  ],
  exports: [Simulator],
})
export class SimulatorModule extends ConfigurableModuleClass implements OnApplicationShutdown {
  constructor(private readonly simulator: Simulator) {
    super();
  }

  /** Nest calls this hook last: other providers may still call the platform in the earlier ones. */
  async onApplicationShutdown(): Promise<void> {
    await this.simulator.stop();
  }
}
