import { html, type Html } from '@tillkit/pages';
import type { SimulatedPlatform } from '../simulated-platform.model.js';
import type { Page } from './frame.page.js';
import { merchantChooser, type MerchantChoice } from './merchant.fragment.js';

const MINUTE = 60_000;

const ADVANCES = [
  { name: '+1 min', ms: MINUTE },
  { name: '+20 min', ms: 20 * MINUTE },
  { name: '+1 h', ms: 60 * MINUTE },
  { name: '+1 day', ms: 24 * 60 * MINUTE },
] as const;

/** The pages of the control room. */
const VIEWS = [
  { path: '/control', name: 'Activity' },
  { path: '/control/faults', name: 'Faults' },
  { path: '/control/money', name: 'Money' },
  { path: '/control/connect', name: 'Connect' },
] as const;

/** One page of the control room. */
export interface ControlView extends Pick<Page, 'script' | 'isUsableWithoutScript'> {
  readonly path: (typeof VIEWS)[number]['path'];
  /** What the choice of no merchant is called, if it is one. */
  readonly all?: string;
  readonly body: Html;
}

/** A page of the control room with what all of them have: the clock, the merchant and the links to the others. */
export function controlRoom(
  simulator: SimulatedPlatform,
  choice: MerchantChoice,
  { path, all, body, ...page }: ControlView,
): Page {
  const name = choice.merchant?.name;
  const view = VIEWS.find((one) => one.path === path)!.name;
  return {
    ...page,
    status: choice.unknown === null ? 200 : 404,
    title: view === 'Activity' ? 'Control room' : `${view}, control room`,
    menu: '/control',
    body: html`
      <div class="head">
        <h1>Control room</h1>
        ${clock()}
      </div>
      <div class="views">${links(path, name)} ${merchantChooser(simulator, choice, path, all)}</div>
      <p class="status" id="status" role="status"></p>
      <div class="control" ${name !== undefined && html`data-merchant="${name}"`}>${body}</div>
    `,
  };
}

/** The faults that are active, each with a button that ends it. The script of the page fills it. */
export function activeFaults(): Html {
  return html`<section class="active" id="active-faults" aria-labelledby="active-title" hidden>
    <div class="active__head">
      <h2 id="active-title">Active faults</h2>
      <button class="button button--small button--bad" id="end-faults" type="button">
        End all
      </button>
    </div>
    <ul id="active-list"></ul>
  </section>`;
}

function links(current: string, merchant: string | undefined): Html {
  const query = merchant === undefined ? '' : `?merchant=${encodeURIComponent(merchant)}`;
  return html`<nav class="tabs" aria-label="Control room">
    <ul>
      ${VIEWS.map(
        ({ path, name }) =>
          html`<li>
            <a href="${path}${query}" ${path === current && html`aria-current="page"`}>${name}</a>
          </li>`,
      )}
    </ul>
  </nav>`;
}

function clock(): Html {
  return html`<div class="clock" role="group" aria-label="The clock of the platform">
    <p>
      <span class="clock__label" id="date">Time of the platform</span>
      <span class="clock__time" id="clock">--:--:--</span>
    </p>
    <div class="row">
      ${ADVANCES.map(
        ({ name, ms }) =>
          html`<button
            class="button button--small button--quiet"
            type="button"
            data-advance="${ms}"
          >
            ${name}
          </button>`,
      )}
    </div>
  </div>`;
}
