import { type DynamicModule, Module, type OnApplicationShutdown } from '@nestjs/common';
import { InvalidOptionError } from '../simulator.errors.js';
import type { SimulatorOptions } from '../simulator.options.js';
import { Simulator } from '../simulator.js';
import {
  type ASYNC_OPTIONS_TYPE,
  ConfigurableModuleClass,
  SIMULATOR_OPTIONS,
} from './simulator.module-definition.js';

type AsyncOptions = typeof ASYNC_OPTIONS_TYPE;

/** The options of `forRootAsync()`, with what gives them. Those of Nest's builder may have nothing that does. */
type WithSource = AsyncOptions &
  (
    | Required<Pick<AsyncOptions, 'useFactory'>>
    | Required<Pick<AsyncOptions, 'useClass'>>
    | Required<Pick<AsyncOptions, 'useExisting'>>
  );

type Base = (new () => object) &
  Omit<typeof ConfigurableModuleClass, 'forRootAsync'> & {
    forRootAsync: (options: WithSource) => DynamicModule;
  };

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
export class SimulatorModule
  extends (ConfigurableModuleClass as Base)
  implements OnApplicationShutdown
{
  /** Adds a simulator whose options come from a factory or class. @throws InvalidOptionError without one */
  static override forRootAsync(options: WithSource): DynamicModule {
    const { useFactory, useClass, useExisting }: AsyncOptions = options ?? {};
    if (!(useFactory ?? useClass ?? useExisting))
      throw new InvalidOptionError(
        'useFactory',
        'of SimulatorModule.forRootAsync() is missing: add useFactory, useClass or useExisting, or call SimulatorModule.forRoot({})',
      );
    return super.forRootAsync(options);
  }

  constructor(private readonly simulator: Simulator) {
    super();
  }

  /** Nest calls this hook last: other providers may still call the platform in the earlier ones. */
  async onApplicationShutdown(): Promise<void> {
    await this.simulator.stop();
  }
}
