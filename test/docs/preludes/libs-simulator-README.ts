/** What the code of libs/simulator/README.md leaves out. */
import type { Simulator } from '@tillkit/simulator';

export { Test } from '@nestjs/testing';
export { INSTANT_TIMINGS } from '@tillkit/simulator';

export declare class ShopModule {}
export declare const simulator: Simulator;
