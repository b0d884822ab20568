import type { ClassConstructor } from 'class-transformer';
import { PaymentsValidationError, type FieldProblem } from '../../../payments.errors.js';
import { amountProblem } from '../../../money/money.js';
import { readMobilePhone, type PhoneSettings } from '../../../work/mobile-phone.js';
import {
  checkInput,
  checkVariant,
  WHOLE_INPUT,
  type CheckedInput,
} from '../../../work/validate-input.js';
import type { SendMoneyFields } from './create-send-money.dto.js';
import { DESTINATION_CLASSES, type SendMoneyDestination } from './send-money-destination.dto.js';

/**
 * Checks a request to send money, with each of its destinations. The phone numbers of the result are in international form.
 * @throws PaymentsValidationError that names every wrong, missing or unknown field: `destinations.1.phoneNumber`
 */
export function validateSendMoney<T extends SendMoneyFields>(
  dto: ClassConstructor<T>,
  input: unknown,
  settings: PhoneSettings,
): T {
  const { value, problems } = checkInput(dto, input);
  if (value === null) throw new PaymentsValidationError(problems);
  const { destinations } = value;
  if (Array.isArray(destinations)) {
    const checked = Array.from(destinations as readonly unknown[], (destination) =>
      checkDestination(destination, value.currency, settings),
    );
    for (const [index, one] of checked.entries())
      problems.push(...one.problems.map((problem) => below(`destinations.${index}`, problem)));
    value.destinations = checked.flatMap((one) => one.value ?? []);
  }
  if (problems.length > 0) throw new PaymentsValidationError(problems);
  return value;
}

function below(path: string, { field, problem }: FieldProblem): FieldProblem {
  return { field: field === WHOLE_INPUT ? path : `${path}.${field}`, problem };
}

function checkDestination(
  input: unknown,
  currency: string,
  settings: PhoneSettings,
): CheckedInput<SendMoneyDestination> {
  const { value, problems } = checkVariant(DESTINATION_CLASSES, input);
  const isFine = (name: string): boolean => problems.every(({ field }) => field !== name);
  const amount = value && isFine('amount') ? amountProblem(value.amount, currency) : null;
  if (amount !== null) problems.push({ field: 'amount', problem: amount });
  if (value?.type === 'mobile_wallet' && isFine('phoneNumber')) {
    const { phoneNumber, problem } = readMobilePhone(value.phoneNumber, settings, currency);
    if (problem === undefined) value.phoneNumber = phoneNumber;
    else problems.push({ field: 'phoneNumber', problem });
  }
  if (value) trim(value);
  return { value, problems };
}

/** What is sent is what was typed, without the blanks around it. */
function trim(destination: SendMoneyDestination): void {
  const fields = destination as unknown as Record<string, unknown>;
  for (const [name, text] of Object.entries(fields))
    if (ACCOUNT_FIELDS.has(name) && typeof text === 'string') fields[name] = text.trim();
}

/** The fields that name an account. */
const ACCOUNT_FIELDS: ReadonlySet<string> = new Set([
  'bankBranchRef',
  'accountNumber',
  'paybillNumber',
  'paybillAccountNumber',
  'reference',
]);
