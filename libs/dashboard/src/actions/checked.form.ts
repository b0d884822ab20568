import { PaymentsValidationError } from '@tillkit/payments';
import type { Html } from '@tillkit/pages';
import type { Answer } from '../web/answer.dto.js';
import { isSearchable } from '../web/list.dto.js';
import type { Visit } from '../web/visit.dto.js';
import { WORDS } from '../words/english.words.js';
import { actionProblem } from './action-problem.format.js';

/** What is wrong with a form: by field, and in general. */
export interface FormProblems {
  fields?: Readonly<Record<string, string>>;
  general?: Html;
  status: 400 | 409 | 503;
}

/** A form as it was typed. */
export interface TypedForm {
  /** The text of each field, by its name. */
  fields: Readonly<Record<string, string>>;
  /** What the library finds wrong, by field. */
  problemsOf: (error: PaymentsValidationError) => Readonly<Record<string, string>>;
  /** The form once more, with what is wrong. */
  show: (problems: FormProblems) => Answer;
}

/** The answer of a step, or the form with what is wrong. */
export async function checkedForm(
  visit: Visit,
  { fields, problemsOf, show }: TypedForm,
  answer: () => Promise<Answer> | Answer,
): Promise<Answer> {
  const unusable = Object.entries(fields).filter(([, value]) => !isSearchable(value));
  if (unusable.length > 0) {
    const problems = unusable.map(([name]) => [name, WORDS.problems.text] as const);
    return show({ fields: Object.fromEntries(problems), status: 400 });
  }
  try {
    return await answer();
  } catch (error) {
    if (error instanceof PaymentsValidationError)
      return show({ fields: problemsOf(error), status: 400 });
    const problem = actionProblem(visit, error);
    if (!problem) throw error;
    return show({ general: problem.text, status: problem.isUnknown ? 503 : 409 });
  }
}
