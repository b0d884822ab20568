import type { PaymentState, Via } from '@tillkit/payments/types';
import { html, type Html } from '@tillkit/pages';
import { WORDS } from '../words/english.words.js';
import { wordFor } from '../words/word.format.js';

const TONES: Readonly<Record<string, string>> = {
  succeeded: 'good',
  done: 'good',
  failed: 'bad',
  dead: 'bad',
  needs_review: 'wait',
  unrecognised: 'wait',
  unknown: 'wait',
  reversed: 'wait',
  partially_succeeded: 'wait',
  paused: 'wait',
};

export const PAYMENT_STATES: readonly PaymentState[] = [
  'created',
  'requested',
  'pending',
  'unknown',
  'succeeded',
  'failed',
  'needs_review',
  'reversed',
];

/** Returns a state as a coloured word. The colour adds no information. */
export function state(name: string): Html {
  return html`<span class="state state--${TONES[name] ?? 'open'}"
    >${wordFor(WORDS.states, name)}</span
  >`;
}

export function source(via: Via): Html {
  return html`<span class="source">${wordFor(WORDS.sources, via)}</span>`;
}
