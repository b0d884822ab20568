import { isCorruption, CORRUPTIONS } from '../deliveries/delivery-corruption.service.js';
import { COPIES, DELAY } from '../faults/fault-parameters.constants.js';
import { InvalidInputError } from '../simulator.errors.js';
import type { SimulatedPlatform } from '../simulated-platform.model.js';
import type { ControlInput } from './control.dto.js';
import type { ControlRoutes } from './control.controller.js';

/** By default a list has this many of the latest entries. */
const LISTED = 200;

export function deliveryControls(simulator: SimulatedPlatform): ControlRoutes {
  const { deliveries, journal } = simulator;
  return {
    'GET /journal': (input) =>
      latest(journal.entries(input.queryNumber('after', 0), input.merchant), input),
    'GET /deliveries': (input) => {
      const { state, kind, paymentId, merchant } = input.query;
      const filter = { state, kind, paymentId, merchant } as Parameters<typeof deliveries.list>[0];
      return latest(deliveries.list(filter), input);
    },
    'GET /deliveries/:id': (input) => deliveries.get(input.param('id')),
    'POST /deliveries/:id/resend': (input) => resend(simulator, input),
    'POST /deliveries/:id/duplicate': (input) =>
      deliveries.duplicate(input.param('id'), input.optionalNumber('times', COPIES)),
    'POST /deliveries/:id/delay': (input) =>
      deliveries.delay(input.param('id'), input.number('ms', DELAY)),
    'POST /deliveries/:id/drop': (input) => deliveries.drop(input.param('id')),
  };
}

function resend(simulator: SimulatedPlatform, input: ControlInput) {
  const corruption = input.optionalText('corruption');
  if (corruption === undefined) return simulator.deliveries.resend(input.param('id'));
  if (!isCorruption(corruption))
    throw new InvalidInputError(`corruption must be one of ${CORRUPTIONS.join(', ')}.`);
  return simulator.deliveries.resend(input.param('id'), corruption);
}

function latest<Item>(items: Item[], input: ControlInput): Item[] {
  return items.slice(-input.queryNumber('limit', LISTED, 1));
}
