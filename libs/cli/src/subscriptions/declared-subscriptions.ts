import { CreateWebhookSubscriptionDto, PaymentsValidationError } from '@tillkit/payments';
import { validateInput } from '@tillkit/payments/internal/tools';
import { UsageError } from '../command.errors.js';

const EXAMPLE =
  '[{ "eventType": "buygoods_transaction_received", "scope": "till", "scopeReference": "514459" }]';

/**
 * Reads a file of declared subscriptions: a JSON list of what `WebhookSubscriptionsService.create()` takes.
 * @throws UsageError that names each wrong field
 */
export function readDeclared(text: string, path: string): CreateWebhookSubscriptionDto[] {
  const items = parsed(text, path);
  if (!Array.isArray(items)) throw new UsageError(`${path} must be a list, such as ${EXAMPLE}.`);
  return items.map((item: unknown, at) => {
    try {
      return validateInput(CreateWebhookSubscriptionDto, item as CreateWebhookSubscriptionDto);
    } catch (error) {
      if (!(error instanceof PaymentsValidationError)) throw error;
      const problems = error.problems.map(({ field, problem }) => `${field} ${problem}`).join('; ');
      throw new UsageError(`${path}, subscription ${at + 1}: ${problems}.`);
    }
  });
}

function parsed(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${path} is no JSON (${(error as Error).message}): write ${EXAMPLE}.`);
  }
}
