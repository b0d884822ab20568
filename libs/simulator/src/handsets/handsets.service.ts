import type { Journal } from '../journal/journal.service.js';
import { requirePhoneNumber } from '../values/phone-number.js';
import { Handset } from './handset.model.js';

/** The customers' phones. Each is created at its first use. */
export class Handsets {
  private readonly byPhone = new Map<string, Handset>();

  constructor(private readonly journal: Journal) {}

  /** @throws InvalidInputError for an invalid phone number. */
  get(phone: string): Handset {
    const existing = this.byPhone.get(phone);
    if (existing) return existing;
    requirePhoneNumber(phone);
    const handset = new Handset(phone, (what, about) =>
      this.journal.note(what, { phone, ...about }),
    );
    this.byPhone.set(phone, handset);
    return handset;
  }

  list(): Handset[] {
    return [...this.byPhone.values()];
  }
}
