import { Html, html } from '@tillkit/pages';
import { backspaceSvg, signalBatterySvg } from '../generated/assets.js';
import { HANDSET_PIN } from '../handsets/handset.model.js';
import { SCENARIOS, type ScenarioName } from '../scenarios/scenarios.constants.js';

const DIGITS = ['1', '2', '3', '4', '5', '6', '7', '8', '9'] as const;

/** One phone: its screen and the customer's actions. The script of the page updates the screen. */
export function handsetSection(
  phone: string,
  index: number,
  scenario: ScenarioName | undefined,
): Html {
  return html`<section class="handset" data-handset="${phone}" aria-labelledby="phone-${index}">
    <div class="handset__head">
      <h2 id="phone-${index}">${phone}</h2>
    </div>
    <div class="phone">
      <div class="phone__screen">
        <p class="phone__bar" aria-hidden="true">
          <span data-clock>--:--</span>${new Html(signalBatterySvg)}
        </p>
        ${idleFace(index)} ${promptFace(index)}
        <div class="face face--off" data-part="off" hidden>
          <p>This phone is off. No prompt reaches it.</p>
          <button class="button" type="button" data-action="switch-on" data-part="switch-on">
            Switch on
          </button>
        </div>
      </div>
    </div>
    <p class="handset__status" role="status" data-part="status"></p>
    <div class="handset__actions" role="group" aria-label="What the customer does">
      ${promptButton('approve', `Right PIN (${HANDSET_PIN})`)}
      ${promptButton('wrong-pin', 'Wrong PIN')} ${promptButton('ignore', 'Do not answer')}
      <button
        class="button button--small button--bad"
        type="button"
        data-action="switch-off"
        data-part="switch-off"
      >
        Switch off
      </button>
    </div>
    <p class="field">
      <label for="scenario-${index}">Scenario of its payments</label>
      <select id="scenario-${index}" data-part="scenario" autocomplete="off">
        <option value="">${defaultScenario(phone)}</option>
        ${Object.keys(SCENARIOS).map(
          (name) =>
            html`<option value="${name}" ${name === scenario && html`selected`}>${name}</option>`,
        )}
      </select>
    </p>
  </section>`;
}

function idleFace(index: number): Html {
  return html`<div class="face" data-part="idle" tabindex="-1">
    <p class="face__clock" data-clock>--:--</p>
    <p class="face__date" data-date></p>
    <p class="face__balance" data-part="balance" hidden></p>
    <p class="last" data-part="last" hidden></p>
    <div class="inbox">
      <h3 id="inbox-${index}">Messages</h3>
      <p class="inbox__none" data-part="no-messages">None yet.</p>
      <ol
        class="inbox__list"
        data-part="inbox"
        aria-labelledby="inbox-${index}"
        tabindex="0"
        hidden
      ></ol>
    </div>
  </div>`;
}

function promptFace(index: number): Html {
  return html`<form class="prompt" data-part="prompt" autocomplete="off" novalidate hidden>
    <p class="prompt__from">Mobile money</p>
    <h3 class="prompt__amount" data-part="amount"></h3>
    <p class="prompt__till" data-part="till"></p>
    <p class="prompt__note" data-part="note"></p>
    <label for="pin-${index}">PIN</label>
    <input
      id="pin-${index}"
      data-part="pin"
      type="password"
      inputmode="numeric"
      maxlength="8"
      autocomplete="one-time-code"
    />
    <div class="keypad" role="group" aria-label="Keypad">
      ${DIGITS.map((digit) => key(digit))}
      <button type="button" data-key="clear" aria-label="Clear the PIN">C</button>
      ${key('0')}
      <button type="button" data-key="delete" aria-label="Delete the last digit">
        ${new Html(backspaceSvg)}
      </button>
    </div>
    <p class="prompt__actions">
      <button class="button button--bad" type="button" data-action="cancel">Cancel</button>
      <button class="button" type="submit">Pay</button>
    </p>
  </form>`;
}

function key(digit: string): Html {
  return html`<button type="button" data-key="${digit}">${digit}</button>`;
}

function promptButton(action: string, name: string): Html {
  return html`<button
    class="button button--small button--quiet"
    type="button"
    data-action="${action}"
    data-needs-prompt
    disabled
  >
    ${name}
  </button>`;
}

/** The name of the scenario that applies without an override. */
function defaultScenario(phone: string): string {
  const listed = Object.entries(SCENARIOS).find(([, { digits }]) => phone.endsWith(digits));
  return listed
    ? `${listed[0]}, by its last digits …${listed[1].digits}`
    : 'The default scenario: its last digits are not listed';
}
