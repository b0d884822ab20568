import {
  InvalidInputError,
  UnknownFaultError,
  UnknownPayoutScenarioError,
  UnknownScenarioError,
} from '../simulator.errors.js';
import { FAULTS, isFaultKind, type FaultKind } from '../faults/faults.constants.js';
import { isPayoutScenarioName, PAYOUT_SCENARIOS } from '../payouts/payout-scenarios.constants.js';
import { SCENARIOS, isScenarioName } from '../scenarios/scenarios.constants.js';
import { MOMENT } from '../clock/clock.service.js';
import { AMOUNT } from '../values/amount.js';
import type { SimulatedPlatform } from '../simulated-platform.model.js';
import { EVENT_TYPES, isEventType } from '../webhook-events/event-types.constants.js';
import type { ControlInput } from './control.dto.js';
import type { ControlRoute } from './control.controller.js';

/** Hundred years: a request moves the clock at most so far. */
const LONGEST_MS = 100 * 365 * 86_400_000;

/** Routes of the clock, scenarios, faults, tills, webhooks and tokens. */
export function platformControls(simulator: SimulatedPlatform): ControlRoute[] {
  return [
    { method: 'GET', path: '', handle: () => overview(simulator) },
    { method: 'POST', path: '/idle', handle: () => simulator.idle() },

    { method: 'GET', path: '/clock', handle: () => clock(simulator) },
    {
      method: 'POST',
      path: '/clock/advance',
      handle: async (input) => {
        const ms = input.number('ms', { min: 0, max: LONGEST_MS });
        if (ms > 0) simulator.journal.note('clock moved', { detail: `${ms} ms ahead` });
        await simulator.clock.advance(ms);
        return clock(simulator);
      },
    },
    {
      method: 'POST',
      path: '/clock/skew',
      handle: (input) => {
        simulator.clock.skew(input.number('ms', { min: -LONGEST_MS, max: LONGEST_MS }));
        return clock(simulator);
      },
    },

    {
      method: 'GET',
      path: '/scenarios',
      handle: () => ({ scenarios: SCENARIOS, overrides: simulator.scenarios() }),
    },
    { method: 'PUT', path: '/scenarios/:phone', handle: (input) => setScenario(simulator, input) },
    {
      method: 'DELETE',
      path: '/scenarios/:phone',
      handle: (input) => simulator.scenario(input.param('phone'), null),
    },

    {
      method: 'GET',
      path: '/payout-scenarios',
      handle: () => ({ scenarios: PAYOUT_SCENARIOS, overrides: simulator.payoutScenarios() }),
    },
    {
      method: 'PUT',
      path: '/payout-scenarios/:destination',
      handle: (input) => setPayoutScenario(simulator, input),
    },
    {
      method: 'DELETE',
      path: '/payout-scenarios/:destination',
      handle: (input) => simulator.payout(input.param('destination'), null),
    },

    {
      method: 'GET',
      path: '/faults',
      handle: () => ({ faults: FAULTS, settings: simulator.faults.settings() }),
    },
    {
      method: 'PUT',
      path: '/faults/:kind',
      handle: (input) => {
        const options = { ...input.object('options'), match: input.object('match') };
        simulator.faults.rate(faultOf(input), input.number('rate', { min: 0, max: 1 }), options);
      },
    },
    {
      method: 'POST',
      path: '/faults/:kind/once',
      handle: (input) =>
        simulator.faults.once(faultOf(input), input.object('match'), input.object('options')),
    },
    {
      method: 'DELETE',
      path: '/faults',
      handle: ({ query }) => simulator.faults.clear(undefined, query['merchant']),
    },
    {
      method: 'DELETE',
      path: '/faults/:kind',
      handle: (input) => simulator.faults.clear(faultOf(input), input.query['merchant']),
    },

    { method: 'POST', path: '/till-payments', handle: (input) => payTill(simulator, input) },
    {
      method: 'POST',
      path: '/reversals',
      handle: (input) => simulator.reverse(input.text('reference')),
    },
    { method: 'GET', path: '/event-types', handle: () => EVENT_TYPES },
    { method: 'POST', path: '/events', handle: (input) => emit(simulator, input) },
    { method: 'GET', path: '/balances', handle: (input) => simulator.balances(input.merchant) },
    { method: 'GET', path: '/books', handle: (input) => simulator.books(input.merchant) },
    { method: 'GET', path: '/payouts', handle: (input) => simulator.payouts(input.merchant) },
    { method: 'GET', path: '/refunds', handle: (input) => simulator.refunds(input.merchant) },
    { method: 'GET', path: '/links', handle: (input) => simulator.links(input.merchant) },
    {
      method: 'POST',
      path: '/links/:id/pay',
      handle: (input) =>
        simulator.payLink(input.param('id'), { phoneNumber: input.text('phoneNumber') }),
    },
    { method: 'GET', path: '/recipients', handle: (input) => simulator.recipients(input.merchant) },
    {
      method: 'GET',
      path: '/merchant-accounts',
      handle: (input) => simulator.merchantAccounts(input.merchant),
    },
    { method: 'GET', path: '/charges', handle: (input) => simulator.charges(input.merchant) },
    {
      method: 'GET',
      path: '/transactions',
      handle: (input) => simulator.transactions(input.merchant),
    },
    {
      method: 'GET',
      path: '/webhook-subscriptions',
      handle: (input) => simulator.subscriptions(input.merchant),
    },
    {
      method: 'POST',
      path: '/tokens/expire',
      handle: (input) => simulator.expireTokens(input.optionalText('merchant')),
    },
  ];
}

function overview(simulator: SimulatedPlatform) {
  const { url, seed } = simulator;
  const merchants = simulator.merchants.list();
  return {
    url,
    // Those of the first merchant, as in `Simulator`.
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

function setScenario(simulator: SimulatedPlatform, input: ControlInput): void {
  const name = input.text('scenario');
  if (!isScenarioName(name)) throw new UnknownScenarioError(name);
  simulator.scenario(input.param('phone'), name);
}

function setPayoutScenario(simulator: SimulatedPlatform, input: ControlInput): void {
  const name = input.text('scenario');
  if (!isPayoutScenarioName(name)) throw new UnknownPayoutScenarioError(name);
  simulator.payout(input.param('destination'), name);
}

function faultOf(input: ControlInput): FaultKind {
  const kind = input.param('kind');
  if (!isFaultKind(kind)) throw new UnknownFaultError(kind);
  return kind;
}

function payTill(simulator: SimulatedPlatform, input: ControlInput) {
  const optional = {
    currency: input.optionalText('currency'),
    firstName: input.optionalText('firstName'),
    middleName: input.optionalText('middleName'),
    lastName: input.optionalText('lastName'),
    sendingTill: input.optionalText('sendingTill'),
    reference: input.optionalText('reference'),
    originatedAt: input.optionalNumber('originatedAt', MOMENT),
  };
  const given = Object.fromEntries(
    Object.entries(optional).filter(([, value]) => value !== undefined),
  );
  return simulator.payTill({
    ...given,
    tillNumber: input.text('tillNumber'),
    phoneNumber: input.text('phoneNumber'),
    amount: input.number('amount', AMOUNT),
  });
}

async function emit(simulator: SimulatedPlatform, input: ControlInput) {
  const eventType = input.text('eventType');
  if (!isEventType(eventType))
    throw new InvalidInputError(
      `"${eventType}" is not an event type. GET /_simulator/event-types lists them.`,
    );
  return {
    eventIds: await simulator.emit(
      eventType,
      input.object('resource'),
      input.optionalText('merchant'),
    ),
  };
}
