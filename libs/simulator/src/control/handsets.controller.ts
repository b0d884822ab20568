import { walletAccount } from '../balances/account-name.js';
import type { Handset } from '../handsets/handset.model.js';
import { InvalidInputError } from '../simulator.errors.js';
import type { SimulatedPlatform } from '../simulated-platform.model.js';
import type { ControlInput } from './control.dto.js';
import type { ControlRoutes } from './control.controller.js';

type HandsetAction = (handset: Handset, input: ControlInput) => void;

/** The actions of a customer. */
const ACTIONS: Readonly<Record<string, HandsetAction>> = {
  approve: (handset, input) =>
    handset.approve(input.optionalText('pin'), input.optionalText('promptId')),
  cancel: (handset, input) => handset.cancel(input.optionalText('promptId')),
  'wrong-pin': (handset, input) => handset.wrongPin(input.optionalText('promptId')),
  ignore: (handset, input) => handset.ignore(input.optionalText('promptId')),
  'switch-off': (handset) => handset.switchOff(),
  'switch-on': (handset) => handset.switchOn(),
};

/** Returns the routes of the customers' phones. */
export function handsetControls(simulator: SimulatedPlatform): ControlRoutes {
  return {
    'GET /handsets': () => simulator.handsets().map((handset) => viewOf(simulator, handset)),
    'GET /handsets/:phone': (input) => viewOf(simulator, simulator.handset(input.param('phone'))),
    'POST /handsets/:phone/:action': (input) => {
      const handset = simulator.handset(input.param('phone'));
      const name = input.param('action');
      const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
      if (!action) {
        const names = Object.keys(ACTIONS).join(', ');
        throw new InvalidInputError(`There is no action "${name}". The actions are ${names}.`);
      }
      action(handset, input);
      return viewOf(simulator, handset);
    },
  };
}

function viewOf(simulator: SimulatedPlatform, handset: Handset) {
  return {
    phone: handset.phone,
    isOn: handset.isOn,
    prompts: handset.prompts(),
    inbox: handset.inbox(),
    /** The balance is in cents of KES. */
    balance: simulator.balance(walletAccount(handset.phone)),
  };
}
