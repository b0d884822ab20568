import { inspect } from 'node:util';

/**
 * Keeps what an object holds out of logs: `console.log(payments)` shows its class only, and JSON shows nothing. Our services reach the
 * settings, with client secret, API keys and URL secrets, and through Nest the whole application.
 */
export function Concealed(): ClassDecorator {
  return ({ name, prototype }) => {
    Object.defineProperties(prototype, {
      [inspect.custom]: { value: () => `${name} {}` },
      toJSON: { value: () => ({}) },
    });
  };
}
