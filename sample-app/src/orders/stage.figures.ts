import { html, type Html } from '../web/html.template.js';
import type { OrderStage } from './order.stage.js';

/** What a stage looks like. The headline says the same in words, so screen readers pass it by. */
export function stageFigure(stage: OrderStage): Html {
  return html`<svg
    class="figure"
    viewBox="0 0 120 120"
    width="120"
    height="120"
    aria-hidden="true"
    focusable="false"
  >
    ${FIGURES[stage]}
  </svg>`;
}

const PHONE = html`<g class="figure__phone">
  <rect class="figure__case" x="38" y="18" width="44" height="84" rx="9" />
  <rect class="figure__screen" x="42" y="26" width="36" height="62" rx="3" />
  <circle class="figure__screen" cx="60" cy="95" r="3" />
  <rect class="figure__prompt" x="46" y="40" width="28" height="30" rx="3" />
  <g class="figure__pin">
    <circle cx="51.500" cy="62" r="2.200" />
    <circle cx="57.200" cy="62" r="2.200" />
    <circle cx="62.800" cy="62" r="2.200" />
    <circle cx="68.500" cy="62" r="2.200" />
  </g>
  <path class="figure__words" d="M51 48h18M51 54h12" />
</g>`;

const WAVES = html`<g class="figure__waves">
  <path d="M28 44c-6 10-6 22 0 32M92 44c6 10 6 22 0 32" />
  <path d="M18 36c-10 15-10 33 0 48M102 36c10 15 10 33 0 48" />
</g>`;

const DISC = html`<circle class="figure__disc" cx="60" cy="60" r="44" />`;

const RINGING = html`${WAVES}${PHONE}`;
const SEARCHING = html`${DISC}
  <g class="figure__sign">
    <circle cx="55" cy="55" r="15" />
    <path d="m66 66 15 15" />
  </g>`;

const FIGURES: Readonly<Record<OrderStage, Html>> = {
  not_asked: html`${PHONE}`,
  asking: RINGING,
  waiting: RINGING,
  unclear: SEARCHING,
  checking: SEARCHING,
  failed: html`${DISC}<path class="figure__sign" d="m46 46 28 28M74 46 46 74" />`,
  paid: html`${DISC}<path class="figure__sign" d="m40 62 14 14 27-31" />`,
  refunded: html`${DISC}<path
      class="figure__sign"
      d="M74 78H56a15 15 0 0 1 0-30h22m-9-9 9 9-9 9"
    />`,
};
