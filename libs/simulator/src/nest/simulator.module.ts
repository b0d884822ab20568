import { Module, type OnApplicationShutdown } from '@nestjs/common';
import type { SimulatorOptions } from '../simulator.options.js';
import { Simulator } from '../simulator.js';
import { ConfigurableModuleClass, SIMULATOR_OPTIONS } from './simulator.module-definition.js';

/**
 * A simulator inside a Nest application or a testing module: started before anything that injects it, stopped after the
 * application has drained.
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

  /** The last hook of all: what drains until then may still talk to the platform. */
  async onApplicationShutdown(): Promise<void> {
    await this.simulator.stop();
  }
}
