import type { SimulatedMerchant } from '../merchants/merchant.model.js';
import type { SimulatedPlatform } from '../simulated-platform.model.js';
import { isPhoneNumber } from '../values/phone-number.js';

/** The query of the page, as it was sent. */
export type PageQuerystring = Readonly<
  Partial<Record<'merchant' | 'phone' | 'search' | 'shown' | 'fault', string | string[]>>
>;

export interface PageQuery {
  /** Null for all merchants. */
  readonly merchant: SimulatedMerchant | null;
  readonly phones: readonly string[];
  /** The words that an entry of the journal must have. */
  readonly search: string;
  /** Shows only entries of this type, or with a `problem`; empty for all. */
  readonly shown: string;
  /** The fault whose form is shown. */
  readonly fault: string;
  /** The problem that stops the page from showing what was requested; null when there is none. */
  readonly problem: { readonly status: number; readonly text: string } | null;
}

/** A page has room for this many phones. */
const MAX_HANDSETS = 6;

/** Payments of this number wait for a person. */
const PERSON = '+254700000014';

export function readPageQuery({ merchants }: SimulatedPlatform, query: PageQuerystring): PageQuery {
  const first = (text: string | string[] = ''): string => [text].flat()[0] ?? '';
  const name = first(query.merchant);
  const merchant = merchants.list().find((one) => one.name === name) ?? null;
  const written = [query.phone ?? []].flat().filter((text) => text.trim() !== '');
  const phones = [...new Set(written.map(readPhone))];
  const wrong = phones.find((phone) => !isPhoneNumber(phone));
  const rest = {
    merchant,
    search: first(query.search),
    shown: first(query.shown),
    fault: first(query.fault),
  };
  const refuse = (status: number, text: string): PageQuery => ({
    ...rest,
    phones: [PERSON],
    problem: { status, text },
  });
  if (name !== '' && !merchant) return refuse(404, `There is no merchant “${name}”.`);
  if (wrong !== undefined) {
    const cure = 'Write it with the country code, as in +254700000014.';
    return refuse(400, `“${wrong}” is not a phone number. ${cure}`);
  }
  if (phones.length > MAX_HANDSETS)
    return refuse(400, `The page shows at most ${MAX_HANDSETS} handsets.`);
  return { ...rest, phones: phones.length > 0 ? phones : [PERSON], problem: null };
}

/** Normalises a phone number to `+254700000014`. A `+` in the query of a URL arrives as a space. */
export function readPhone(written: string): string {
  return written.replace(/^\s*(?:00|\+| )?/, '+').replace(/[\s()-]/g, '');
}
