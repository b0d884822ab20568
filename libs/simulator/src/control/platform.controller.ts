import { FAULTS, type FaultKind } from '../faults/faults.constants.js';
import { PAYOUT_SCENARIOS } from '../payouts/payout-scenarios.constants.js';
import { SCENARIOS } from '../scenarios/scenarios.constants.js';
import { MOMENT } from '../clock/clock.service.js';
import { AMOUNT } from '../values/amount.js';
import type { SimulatedPlatform } from '../simulated-platform.model.js';
import { EVENT_TYPES, type EventType } from '../webhook-events/event-types.constants.js';
import type { ControlInput } from './control.dto.js';
import type { ControlRoutes } from './control.controller.js';

/** One request moves the clock by at most a hundred years. */
const LONGEST_MS = 100 * 365 * 86_400_000;

/** Returns the routes of the clock, scenarios, faults, tills, webhooks and tokens. */
export function platformControls(simulator: SimulatedPlatform): ControlRoutes {
  const { faults } = simulator;
  return {
    'GET /': () => overview(simulator),
    'POST /idle': () => simulator.idle(),

    'GET /clock': () => clock(simulator),
    'POST /clock/advance': async (input) => {
      const ms = input.number('ms', { min: 0, max: LONGEST_MS });
      if (ms > 0) simulator.journal.note('clock moved', { detail: `${ms} ms ahead` });
      await simulator.clock.advance(ms);
      return clock(simulator);
    },
    'POST /clock/skew': (input) => {
      simulator.clock.skew(input.number('ms', { min: -LONGEST_MS, max: LONGEST_MS }));
      return clock(simulator);
    },

    'GET /scenarios': () => ({ scenarios: SCENARIOS, overrides: simulator.scenarios() }),
    'PUT /scenarios/:phone': (input) => simulator.scenario(input.param('phone'), scenarioOf(input)),
    'DELETE /scenarios/:phone': (input) => simulator.scenario(input.param('phone'), null),

    'GET /payout-scenarios': () => ({
      scenarios: PAYOUT_SCENARIOS,
      overrides: simulator.payoutScenarios(),
    }),
    'PUT /payout-scenarios/:destination': (input) =>
      simulator.payout(input.param('destination'), scenarioOf(input)),
    'DELETE /payout-scenarios/:destination': (input) =>
      simulator.payout(input.param('destination'), null),

    'GET /faults': () => ({ faults: FAULTS, settings: faults.settings() }),
    'PUT /faults/:kind': (input) => {
      const options = { ...input.object('options'), match: input.object('match') };
      faults.rate(faultOf(input), input.number('rate', { min: 0, max: 1 }), options);
    },
    'POST /faults/:kind/once': (input) =>
      faults.once(faultOf(input), input.object('match'), input.object('options')),
    'DELETE /faults': ({ query }) => faults.clear(undefined, query['merchant']),
    'DELETE /faults/:kind': (input) => faults.clear(faultOf(input), input.query['merchant']),

    'POST /till-payments': (input) => payTill(simulator, input),
    'POST /reversals': (input) => simulator.reverse(input.text('reference')),
    'GET /event-types': () => EVENT_TYPES,
    'POST /events': (input) => emit(simulator, input),
    'POST /links/:id/pay': (input) =>
      simulator.payLink(input.param('id'), { phoneNumber: input.text('phoneNumber') }),
    'POST /tokens/expire': (input) => simulator.expireTokens(input.optionalText('merchant')),

    'GET /balances': (input) => simulator.balances(input.merchant),
    'GET /books': (input) => simulator.books(input.merchant),
    'GET /charges': (input) => simulator.charges(input.merchant),
    'GET /payouts': (input) => simulator.payouts(input.merchant),
    'GET /refunds': (input) => simulator.refunds(input.merchant),
    'GET /links': (input) => simulator.links(input.merchant),
    'GET /recipients': (input) => simulator.recipients(input.merchant),
    'GET /merchant-accounts': (input) => simulator.merchantAccounts(input.merchant),
    'GET /transactions': (input) => simulator.transactions(input.merchant),
    'GET /webhook-subscriptions': (input) => simulator.subscriptions(input.merchant),
  };
}

function overview(simulator: SimulatedPlatform) {
  const { url, seed } = simulator;
  const merchants = simulator.merchants.list();
  return {
    url,
    // These are the credentials of the first merchant, as in `Simulator`.
    clientId: merchants[0]?.clientId ?? null,
    tillNumbers: merchants[0]?.tillNumbers ?? [],
    merchants: merchants.length,
    seed,
    now: simulator.clock.now(),
    redirectUrl: simulator.redirectUrl,
  };
}

function clock(simulator: SimulatedPlatform) {
  const now = simulator.clock.now();
  return { now, iso: new Date(now).toISOString() };
}

/** The simulator itself refuses a name that does not exist. */
function scenarioOf<Name extends string>(input: ControlInput): Name {
  return input.text('scenario') as Name;
}

function faultOf(input: ControlInput): FaultKind {
  return input.param('kind') as FaultKind;
}

function payTill(simulator: SimulatedPlatform, input: ControlInput) {
  return simulator.payTill({
    ...input.optionalTexts(
      'currency',
      'firstName',
      'middleName',
      'lastName',
      'sendingTill',
      'reference',
    ),
    ...(input.has('originatedAt') && { originatedAt: input.number('originatedAt', MOMENT) }),
    tillNumber: input.text('tillNumber'),
    phoneNumber: input.text('phoneNumber'),
    amount: input.number('amount', AMOUNT),
  });
}

async function emit(simulator: SimulatedPlatform, input: ControlInput) {
  const eventType = input.text('eventType') as EventType;
  const merchant = input.optionalText('merchant');
  return { eventIds: await simulator.emit(eventType, input.object('resource'), merchant) };
}
