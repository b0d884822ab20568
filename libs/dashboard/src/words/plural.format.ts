/** The forms of a text for each plural category of a language. `other` stands for those that are left out. */
export type PluralForms = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string };

/**
 * Chooses the plural form of a text in one language.
 * @see https://cldr.unicode.org/index/cldr-spec/plural-rules
 */
export function pluralsOf(language: string): (count: number, forms: PluralForms) => string {
  const rules = new Intl.PluralRules(language);
  return (count, forms) => forms[rules.select(count)] ?? forms.other;
}
