import { html, type Html } from '@tillkit/pages';
import type { SimulatedMerchant } from '../merchants/merchant.model.js';
import type { SimulatedPlatform } from '../simulated-platform.model.js';

/** The merchant that a page is about. */
export interface MerchantChoice {
  /** Null for all merchants. */
  readonly merchant: SimulatedMerchant | null;
  /** What was asked for when there is no such merchant. */
  readonly unknown: string | null;
}

/** Reads the choice from the query of a page. */
export function chooseMerchant(
  { merchants }: SimulatedPlatform,
  written: string | readonly string[] | undefined,
): MerchantChoice {
  const [name = ''] = [written ?? []].flat();
  const merchant = merchants.list().find((one) => one.name === name) ?? null;
  return { merchant, unknown: merchant || name === '' ? null : name };
}

/** A form to choose a merchant, where there is more than one. @param all what the choice of no merchant is called, if it is one */
export function merchantChooser(
  { merchants }: SimulatedPlatform,
  { merchant, unknown }: MerchantChoice,
  path: string,
  all?: string,
): Html | null {
  const names = merchants.list().map(({ name }) => name);
  const notice =
    unknown !== null &&
    html`<p class="problem-note section" role="alert">There is no merchant “${unknown}”.</p>`;
  if (names.length < 2) return notice || null;
  return html`${notice}
    <form class="chooser" action="${path}" method="get">
      <label for="merchant">Merchant</label>
      <select id="merchant" name="merchant" autocomplete="off">
        ${all !== undefined && html`<option value="">${all}</option>`}
        ${names.map(
          (name) => html`<option ${name === merchant?.name && html`selected`}>${name}</option>`,
        )}
      </select>
      <button class="button button--small button--quiet" type="submit">Show</button>
    </form>`;
}
