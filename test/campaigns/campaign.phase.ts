import type { CampaignWorld, WorldOptions } from './campaign.world.js';

export interface PhaseContext {
  /** A small form, for `npm test`. */
  short: boolean;
  /** Numbers from 0 to 1 that the seed repeats. */
  draw: () => number;
}

/** A part of the fault campaign that can be run alone. */
export interface CampaignPhase {
  /** For `--only`. */
  name: string;
  /** What its world has otherwise than the others. */
  world?: Partial<WorldOptions>;
  run(world: CampaignWorld, context: PhaseContext): Promise<void>;
  /** What must be true when everything has come to its end, beside the table. */
  verify?(world: CampaignWorld): Promise<void>;
}

/** Mostly paid; some cancelled, mistyped, without funds, reversed. */
const SCENARIOS = [
  '01',
  '20',
  '33',
  '47',
  '52',
  '68',
  '71',
  '86',
  '02',
  '03',
  '04',
  '12',
  '11',
  '15',
  '10',
  '13',
];

export const scenario = (n: number): string => SCENARIOS[n % SCENARIOS.length] as string;

/** The customer enters the PIN. */
export const PAYS = '01';
