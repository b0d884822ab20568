import { walletAccount } from '../balances/account.name.js';
import type { Handset } from '../handsets/handset.model.js';
import { InvalidInputError } from '../simulator.errors.js';
import type { SimulatedPlatform } from '../simulated-platform.model.js';
import type { ControlInput } from './control.dto.js';
import type { ControlRoute } from './control.controller.js';

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

/** Routes of the customers' phones. */
export function handsetControls(simulator: SimulatedPlatform): ControlRoute[] {
  return [
    {
      method: 'GET',
      path: '/handsets',
      handle: () => simulator.handsets().map((handset) => viewOf(simulator, handset)),
    },
    {
      method: 'GET',
      path: '/handsets/:phone',
      handle: (input) => viewOf(simulator, simulator.handset(input.param('phone'))),
    },
    {
      method: 'POST',
      path: '/handsets/:phone/:action',
      handle: (input) => {
        const handset = simulator.handset(input.param('phone'));
        const action = Object.hasOwn(ACTIONS, input.param('action'))
          ? ACTIONS[input.param('action')]
          : undefined;
        if (!action)
          throw new InvalidInputError(
            `There is no action "${input.param('action')}". The actions are ${Object.keys(ACTIONS).join(', ')}.`,
          );
        action(handset, input);
        return viewOf(simulator, handset);
      },
    },
  ];
}

function viewOf(simulator: SimulatedPlatform, handset: Handset) {
  return {
    phone: handset.phone,
    isOn: handset.isOn,
    prompts: handset.prompts(),
    inbox: handset.inbox(),
    /** In cents of KES. */
    balance: simulator.balance(walletAccount(handset.phone)),
  };
}
