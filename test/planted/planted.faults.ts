import { ATTACK_FAULTS } from './attack.faults.js';
import { BUS_FAULTS } from './bus.faults.js';
import { SIMULATION_FAULTS } from './simulation.faults.js';
import { SPEC_FAULTS } from './spec.faults.js';

/** All planted faults, by the harness that must find them. */
export const PLANTED_FAULTS = {
  specs: SPEC_FAULTS,
  simulation: SIMULATION_FAULTS,
  attack: ATTACK_FAULTS,
  bus: BUS_FAULTS,
} as const;
