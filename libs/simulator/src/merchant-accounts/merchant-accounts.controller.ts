import { recipientSchema } from '../external-recipients/recipient-fields.js';
import type { MerchantContext } from '../merchants/merchant-context.js';
import { optional, required, text, type BodySchema } from '../server/body.dto.js';
import { settlementMethod, withPlus } from '../server/field-rules.js';
import type { ApiResource } from '../server/resource-routes.js';
import type { WireObject } from '../transactions/transaction.resource.js';
import type {
  MerchantAccount,
  MerchantAccounts,
  MerchantAccountType,
} from './merchant-accounts.service.js';

const TYPES: readonly MerchantAccountType[] = ['merchant_wallet', 'merchant_bank_account'];

/** Returns the endpoints of own accounts, which are alike in both versions. */
export function merchantAccountApis(
  context: MerchantContext,
  accounts: MerchantAccounts,
): ApiResource<WireObject, MerchantAccount>[] {
  return TYPES.flatMap((type) =>
    ['v1', 'v2'].map((version) => accountApi(context, accounts, type, `/api/${version}/${type}s`)),
  );
}

function accountApi(
  { settings, faults }: MerchantContext,
  accounts: MerchantAccounts,
  type: MerchantAccountType,
  path: string,
): ApiResource<WireObject, MerchantAccount> {
  return {
    path,
    name: 'account',
    schema: schemaOf(type, settings.strict),
    view: {
      identityOf: ({ fields }) => subjectOf(type, fields),
      read({ id, fields, reference }, subject) {
        const isHidden = faults.inject('unavailable-reference', subject) !== null;
        const attributes = {
          status: 'Approved',
          account_reference: isHidden ? 'Unavailable' : reference,
          ...fields,
        };
        return JSON.stringify({ data: { id, type, attributes } });
      },
    },
    find(id) {
      const account = accounts.find(id);
      return account?.type === type ? account : undefined;
    },
    check({ ...fields }) {
      if (type === 'merchant_wallet') fields.phone_number = withPlus(fields.phone_number);
      return { subject: subjectOf(type, fields), commit: () => accounts.create(type, fields) };
    },
  };
}

/** The fields are those of a recipient, without the email. */
function schemaOf(type: MerchantAccountType, strict: boolean): BodySchema {
  const nickname = optional(text);
  if (type === 'merchant_wallet') {
    const { email: _, ...fields } = recipientSchema('mobile_wallet', strict);
    return { ...fields, nickname };
  }
  const fields = recipientSchema('bank_account', strict);
  return { ...fields, settlement_method: required(settlementMethod), nickname };
}

function subjectOf(type: MerchantAccountType, fields: Readonly<WireObject>) {
  return type === 'merchant_wallet' ? { phone: String(fields.phone_number) } : {};
}
