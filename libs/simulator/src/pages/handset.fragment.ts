import { Html, html } from '@tillkit/pages';
import { backspaceSvg, signalBatterySvg } from '../generated/assets.js';
import { HANDSET_PIN } from '../handsets/handset.model.js';
import { isScenarioName, SCENARIOS, type ScenarioName } from '../scenarios/scenarios.constants.js';

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
      <p class="handset__status" role="status" data-part="status"></p>
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
    <div class="handset__side">
      <div role="group" aria-labelledby="actions-${index}">
        <h3 id="actions-${index}">What the customer does</h3>
        <div class="handset__actions">
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
      </div>
      ${scenarioField(phone, index, scenario)}
    </div>
  </section>`;
}

function scenarioField(phone: string, index: number, scenario: ScenarioName | undefined): Html {
  const listed = listedScenario(phone);
  const current = scenario ?? listed;
  return html`<div class="field">
    <label for="scenario-${index}">Scenario of its payments</label>
    <select
      id="scenario-${index}"
      data-part="scenario"
      aria-describedby="scenario-what-${index}"
      autocomplete="off"
    >
      <option value="" data-summary="${listed ? SCENARIOS[listed].summary : ''}">
        ${
          listed
            ? `${listed}, by its last digits …${SCENARIOS[listed].digits}`
            : 'The default scenario: its last digits are not listed'
        }
      </option>
      ${Object.entries(SCENARIOS).map(
        ([name, { summary }]) =>
          html`<option
            value="${name}"
            data-summary="${summary}"
            ${name === scenario && html`selected`}
          >
            ${name}
          </option>`,
      )}
    </select>
    <p class="soft small" id="scenario-what-${index}" data-part="scenario-summary">
      ${current && SCENARIOS[current].summary}
    </p>
  </div>`;
}

function idleFace(index: number): Html {
  return html`<div class="face" data-part="idle" tabindex="-1">
    <p class="face__clock" data-clock>--:--</p>
    <p class="face__date" data-date></p>
    <p class="face__balance" data-part="balance" hidden></p>
    <p class="last" data-part="last" hidden></p>
    <div class="empty" data-part="empty">
      <h3 data-part="state">Connecting to the simulator …</h3>
      <p>
        Request a payment from this number in your application. The prompt then appears here. The
        PIN is <strong>${HANDSET_PIN}</strong>; any other is wrong.
      </p>
    </div>
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

/** The prompt is a small dialog, as on a real phone. The keypad is below it, where a phone has its keyboard. */
function promptFace(index: number): Html {
  return html`<div
    class="prompt"
    data-part="prompt"
    role="dialog"
    aria-labelledby="amount-${index}"
    aria-describedby="till-${index}"
    hidden
  >
    <form class="prompt__dialog" autocomplete="off" novalidate>
      <h3 class="prompt__amount" id="amount-${index}" data-part="amount"></h3>
      <p class="prompt__till" id="till-${index}" data-part="till"></p>
      <p class="prompt__note" data-part="note"></p>
      <p class="prompt__pin">
        <label for="pin-${index}">PIN</label>
        <input
          id="pin-${index}"
          data-part="pin"
          type="password"
          inputmode="none"
          maxlength="8"
          autocomplete="one-time-code"
        />
      </p>
      <p class="prompt__actions">
        <button class="button button--quiet" type="button" data-action="cancel">Cancel</button>
        <button class="button" type="submit">Pay</button>
      </p>
    </form>
    <div class="keypad" role="group" aria-label="Keypad">
      ${DIGITS.map((digit) => key(digit))}
      <button type="button" data-key="clear" aria-label="Clear the PIN">C</button>
      ${key('0')}
      <button type="button" data-key="delete" aria-label="Delete the last digit">
        ${new Html(backspaceSvg)}
      </button>
    </div>
  </div>`;
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

/** The scenario that the last digits of the number choose. */
function listedScenario(phone: string): ScenarioName | undefined {
  return Object.keys(SCENARIOS)
    .filter(isScenarioName)
    .find((name) => phone.endsWith(SCENARIOS[name].digits));
}
