import { readPhone } from '../html/phone.format.js';
import { isSearchable } from '../web/list.dto.js';
import type { Visit } from '../web/visit.dto.js';
import type { Choice, ListField } from './list.definition.js';
import { WORDS } from '../words/english.words.js';

/** The members of a filter that take any value of a type. */
type MemberFor<F, V> = { [K in keyof F]-?: V extends F[K] ? K : never }[keyof F];

type Field<F> = Pick<ListField<F>, 'name' | 'label' | 'hint' | 'isPrivate'>;

/** A comma stands only before three digits, because `12,50` would have a decimal comma elsewhere. */
const AMOUNT = /^(?:\d{1,3}(?:,\d{3}){1,4}|\d{1,15})(?:\.\d{1,4})?$/;

/** Returns the fields that lists use. Each describes a wrong text in the words of the dashboard. */
export function fieldsFor<F>({ times, account }: Visit) {
  return {
    plain: (field: Field<F>, member: MemberFor<F, string>): ListField<F> => ({
      ...field,
      input: 'text',
      apply: (filter, value) => {
        if (!isSearchable(value)) return WORDS.problems.text;
        put(filter, member, value);
        return null;
      },
    }),
    time: (field: Field<F>, member: MemberFor<F, Date>): ListField<F> => ({
      ...field,
      input: 'datetime-local',
      apply: (filter, value) => {
        const time = times.fromField(value);
        if (!time) return 'This is not a date. Write it as 2026-11-21 or 2026-11-21T14:05.';
        put(filter, member, time);
        return null;
      },
    }),
    /** Returns an amount as people write it: `1,250`, `1250.00`. */
    amount: (field: Field<F>, member: MemberFor<F, string>): ListField<F> => ({
      ...field,
      input: 'amount',
      apply: (filter, value) => {
        const written = value.replace(/[\s\u00a0]/g, '');
        if (!AMOUNT.test(written)) return 'This is not an amount. Write it as 1250 or 1250.00.';
        put(filter, member, written.replaceAll(',', ''));
        return null;
      },
    }),
    phone: (field: Field<F>, member: MemberFor<F, string>): ListField<F> => ({
      ...field,
      isPrivate: true,
      input: 'tel',
      apply: (filter, value) => {
        const phone = value.length <= 40 ? readPhone(account, value) : null;
        if (!phone)
          return 'This is not a phone number. The international form always works: +254700000000.';
        put(filter, member, phone);
        return null;
      },
    }),
    choice: (
      field: Field<F>,
      choices: readonly Choice[],
      set: (filter: F, value: string) => void,
    ): ListField<F> => ({
      ...field,
      input: choices,
      apply: (filter, value) => {
        if (!choices.some((choice) => choice.value === value))
          return 'There is no such entry. Choose one from the list.';
        set(filter, value);
        return null;
      },
    }),
  };
}

function put<F, V>(filter: F, member: MemberFor<F, V>, value: V): void {
  filter[member] = value as F[MemberFor<F, V>];
}
