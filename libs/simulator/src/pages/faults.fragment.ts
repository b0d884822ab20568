import { html, type Html, type HtmlContent } from '@tillkit/pages';
import { FAULT_PARAMETERS } from '../faults/fault-parameters.constants.js';
import {
  FAULTS,
  isFaultKind,
  type FaultDescription,
  type FaultKind,
  type FaultTarget,
} from '../faults/faults.constants.js';
import type { FaultSetting } from '../faults/faults.service.js';
import type { SimulatedPlatform } from '../simulated-platform.model.js';
import { button, field, optionsOf, panel, visible } from './elements.fragment.js';
import type { PageQuery } from './page-query.dto.js';

type Limit = 'delivery' | 'resource';

/** The groups of faults, the most used first, and the limits of each. */
const GROUPS: Readonly<Record<FaultTarget, { name: string; limits: readonly Limit[] }>> = {
  delivery: { name: 'Deliveries', limits: ['delivery'] },
  attempt: { name: 'Bytes of a delivery', limits: ['delivery'] },
  content: { name: 'Content of results', limits: ['delivery', 'resource'] },
  create: { name: 'Answers to creates', limits: ['resource'] },
  read: { name: 'Answers to reads', limits: ['resource'] },
  token: { name: 'Tokens', limits: [] },
  api: { name: 'Any call', limits: ['resource'] },
};

const LIMITS: Readonly<Record<Limit, { name: string; values: readonly string[] }>> = {
  delivery: { name: 'Deliveries', values: ['callback', 'webhook'] },
  resource: {
    name: 'Requests to',
    values: [
      'incoming_payments',
      'send_money',
      'payments',
      'settlement_transfers',
      'reversals',
      'payment_links',
      'polling',
      'webhook_subscriptions',
      'external_recipients',
      'pay_recipients',
      'transaction_sms_notifications',
    ],
  },
};

/** Returns the faults that are active, and a form that starts one. */
export function faultsSection({ faults }: SimulatedPlatform, query: PageQuery): Html {
  const { merchant, fault } = query;
  const kind = isFaultKind(fault) ? fault : 'lose';
  const all = merchant ? `?merchant=${encodeURIComponent(merchant.name)}` : '';
  const settings = faults
    .settings()
    .filter(
      ({ match, rate, once }) =>
        (!merchant || match.merchant === merchant.name) && (rate > 0 || once > 0),
    );
  return panel(
    'faults',
    html`Faults${merchant && ` of ${merchant.name}`}`,
    html`<form autocomplete="off">
        ${field({
          id: 'fault',
          label: 'Fault',
          attributes: html`name="fault" data-query`,
          options: kinds(kind),
        })}
        ${merchant && html`<input type="hidden" name="match.merchant" value="${merchant.name}" />`}
        <div id="fault-fields" data-live data-keeps-typed>${fieldsOf(kind)}</div>
        <div class="fields">
          ${field({
            id: 'fault-rate',
            label: 'Rate, %',
            attributes: html`name="rate" type="number" min="0.01" max="100" step="any" value="100"
            data-divisor="100" required`,
          })}
          ${button('Start', {
            call: 'PUT /faults/{fault}',
            says: 'The simulator injects {fault} with a probability of {rate} %.',
            isMain: true,
          })}
          ${button('Once', {
            call: 'POST /faults/{fault}/once',
            says: 'The simulator injects {fault} once, at the next match.',
          })}
        </div>
      </form>
      <div id="active-faults" data-live>
        ${
          settings.length > 0 &&
          html`<form>
            <div role="region" aria-labelledby="active-title">
              <h3 id="active-title">Active faults</h3>
              <ul>
                ${settings.map(active)}
              </ul>
              ${button('End all', { call: `DELETE /faults${all}`, says: 'All faults are off.' })}
            </div>
          </form>`
        }
      </div>`,
  );
}

function kinds(chosen: FaultKind): HtmlContent {
  const all = Object.entries<FaultDescription>(FAULTS);
  return Object.entries(GROUPS).map(([group, { name }]) => {
    const own = all.filter(([, { target }]) => target === group).map(([kind]) => [kind, kind]);
    return html`<optgroup label="${name}">
      ${optionsOf(Object.fromEntries(own) as Record<string, string>, chosen)}
    </optgroup>`;
  });
}

/** Returns the description of a fault, its parameters with their defaults, and its limits. */
function fieldsOf(kind: FaultKind): Html {
  const { summary, target, defaults, parameters }: FaultDescription = FAULTS[kind];
  const { limits } = GROUPS[target];
  return html`<p id="fault-what">${summary.replaceAll('`', '')}</p>
    <div class="fields">
      ${parameters.map((name) => parameterField(name, defaults[name]))}
      ${
        limits.length > 0 &&
        field({
          id: 'fault-scope',
          label: 'Only',
          attributes: html`name="match."`,
          options: html`<option value="">Everything</option>
            ${limits.map(
              (limit) =>
                html`<optgroup label="${LIMITS[limit].name}">
                  ${LIMITS[limit].values.map(
                    (value) =>
                      html`<option value="${limit}:${value}">
                        ${limit === 'delivery' ? `${value}s` : value}
                      </option>`,
                  )}
                </optgroup>`,
            )}`,
        })
      }
      ${
        // A request for a token concerns no phone.
        target !== 'token' &&
        field({
          id: 'fault-phone',
          label: 'Only for this phone',
          attributes: html`name="match.phone" type="tel" placeholder="any"`,
        })
      }
    </div>`;
}

/** Returns the field of a parameter, under the name that the text about the fault uses. */
function parameterField(name: keyof typeof FAULT_PARAMETERS, value: unknown): Html {
  const parameter = FAULT_PARAMETERS[name];
  const attributes =
    parameter.type === 'number'
      ? html`type="number" min="${parameter.min}" max="${parameter.max}"
        step="${parameter.isWhole ? '1' : 'any'}" value="${value as number}"`
      : parameter.type === 'boolean'
        ? html`type="checkbox" ${value === true && html`checked`}`
        : html`type="text" value="${value as string}"`;
  return field({
    id: `fault-${name}`,
    label: name,
    attributes: html`name="options.${name}" data-parameter ${attributes}`,
  });
}

function active({ kind, rate, once, injected, match }: FaultSetting): Html {
  const of = match.merchant ?? '';
  const parts = [
    rate > 0 && `${Number((rate * 100).toFixed(2))} %`,
    ...(rate > 0 ? Object.values(match).map((value) => `only ${value}`) : []),
    once > 0 && `${once} pending`,
    injected > 0 && `injected ${injected}×`,
  ].filter((part) => part !== false);
  return html`<li class="row">
    <code>${kind}</code> <span>${visible(parts.join(' · '))}</span>
    ${button('End', {
      call: `DELETE /faults/${kind}?merchant=${encodeURIComponent(of)}`,
      says: `${kind} is off.`,
      more: html`aria-label="${`End ${kind}${of && ` of ${of}`}`}"`,
    })}
  </li>`;
}
