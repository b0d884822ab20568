import { isCorruption, CORRUPTIONS } from '../deliveries/delivery-corruption.service.js';
import type { DeliveryState } from '../deliveries/delivery.record.js';
import { COPIES, DELAY } from '../faults/fault-parameters.constants.js';
import { InvalidInputError } from '../simulator.errors.js';
import type { SimulatedPlatform } from '../simulated-platform.model.js';
import type { ControlInput } from './control.dto.js';
import type { ControlRoute } from './control.controller.js';

/** How many of the latest entries a list has by default. */
const LISTED = 200;

/** Routes of the journal and of deliveries. */
export function deliveryControls(simulator: SimulatedPlatform): ControlRoute[] {
  const { deliveries, journal } = simulator;
  return [
    {
      method: 'GET',
      path: '/journal',
      handle: (input) =>
        latest(journal.entries(input.queryNumber('after', 0), input.merchant), input),
    },
    {
      method: 'GET',
      path: '/deliveries',
      handle: (input) => {
        const { state, kind, paymentId } = input.query;
        const { merchant } = input;
        const filter = {
          ...(state ? { state: state as DeliveryState } : {}),
          ...(kind ? { kind: kind as 'callback' | 'webhook' } : {}),
          ...(paymentId ? { paymentId } : {}),
          ...(merchant ? { merchant } : {}),
        };
        return latest(deliveries.list(filter), input);
      },
    },
    {
      method: 'GET',
      path: '/deliveries/:id',
      handle: (input) => deliveries.get(input.param('id')),
    },
    { method: 'POST', path: '/deliveries/:id/resend', handle: (input) => resend(simulator, input) },
    {
      method: 'POST',
      path: '/deliveries/:id/duplicate',
      handle: (input) =>
        deliveries.duplicate(input.param('id'), input.optionalNumber('times', COPIES)),
    },
    {
      method: 'POST',
      path: '/deliveries/:id/delay',
      handle: (input) => deliveries.delay(input.param('id'), input.number('ms', DELAY)),
    },
    {
      method: 'POST',
      path: '/deliveries/:id/drop',
      handle: (input) => deliveries.drop(input.param('id')),
    },
  ];
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
