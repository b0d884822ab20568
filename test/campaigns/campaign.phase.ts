import type { CampaignEnvironment, EnvironmentOptions } from './campaign.environment.js';

export interface PhaseContext {
  /** True for the short form that `.ci/run` runs. */
  short: boolean;
  /** Seeded random numbers from 0 to 1. */
  draw: () => number;
}

/** A part of the fault campaign that can be run alone. */
export interface CampaignPhase {
  /** The name for `--only`. */
  name: string;
  /** Options of its environment that differ from the defaults. */
  environment?: Partial<EnvironmentOptions>;
  run(environment: CampaignEnvironment, context: PhaseContext): Promise<void>;
  /** Checks after the settling, beside those of the table. */
  verify?(environment: CampaignEnvironment): Promise<void>;
}

/** Most customers pay; some cancel, mistype the PIN or lack funds, and some payments are reversed. */
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
