import type { PracticePlatform } from '../practice/practice.platform.js';

/** Something besides the shop that is worth a look, linked from the start page. */
export interface Place {
  readonly href: string;
  readonly title: string;
  readonly text: string;
}

/** Where the dashboard is, in practice. */
export const DASHBOARD_PATH = 'dashboard';

const TILL: Place = {
  href: '/till',
  title: 'The till',
  text: 'Every payment the till received, as it arrives, whoever made it.',
};

/** What else there is to see: in practice the dashboard, and of the platform the phones and the control room. */
export function placesOf(practice: PracticePlatform | null): readonly Place[] {
  if (!practice) return [TILL];
  return [
    TILL,
    {
      href: `/${DASHBOARD_PATH}`,
      title: 'The dashboard',
      text: 'What operators see: each payment with its timeline, the inbox, dead letters, and how it all goes.',
    },
    {
      href: `${practice.url}/handsets`,
      title: 'The phones',
      text: 'Customers’ phones, on which the prompt appears: enter the PIN, cancel, or let it ring out.',
    },
    {
      href: `${practice.url}/control`,
      title: 'The control room',
      text: 'Every request and delivery of the simulated platform; lose, delay or forge one and see what happens.',
    },
  ];
}
