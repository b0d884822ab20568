/** The code of libs/simulator/README.md uses these names without declaring them. */
import type { Simulator } from '@tillkit/simulator';

export { Test } from '@nestjs/testing';
export { INSTANT_TIMINGS } from '@tillkit/simulator';

export declare class ShopModule {}
export declare const simulator: Simulator;
