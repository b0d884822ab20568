import type { Journal } from '../journal/journal.service.js';
import { requirePhoneNumber } from '../values/phone.value.js';
import { Handset } from './handset.model.js';

/** The customers' phones, each made when first needed. */
export class Handsets {
  private readonly byPhone = new Map<string, Handset>();

  constructor(private readonly journal: Journal) {}

  /** @throws InvalidInputError for what is no phone number. */
  of(phone: string): Handset {
    const known = this.byPhone.get(phone);
    if (known) return known;
    requirePhoneNumber(phone);
    const handset = new Handset(phone, (what, paymentId, detail) => {
      this.journal.happening(what, {
        phone,
        ...(paymentId ? { paymentId } : {}),
        ...(detail ? { detail } : {}),
      });
    });
    this.byPhone.set(phone, handset);
    return handset;
  }

  list(): Handset[] {
    return [...this.byPhone.values()];
  }
}
