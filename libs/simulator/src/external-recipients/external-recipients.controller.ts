import type { MerchantContext } from '../merchants/merchant-context.js';
import { titleOf } from '../payouts/destination.model.js';
import { optional, required, text, type BodySchema } from '../server/body.dto.js';
import { oneOf, withPlus } from '../server/field-rules.js';
import type { ApiResource } from '../server/resource-routes.js';
import type { WireObject } from '../transactions/transaction.resource.js';
import type { ExternalRecipient, ExternalRecipients } from './external-recipients.service.js';
import {
  isRecipientType,
  RECIPIENT_TYPES,
  recipientSchema,
  type RecipientType,
} from './recipient-fields.js';

/** One of the two versions of the endpoints. */
interface Version {
  readonly path: string;
  /** The key of the body and the type of the resource. */
  readonly key: string;
  readonly hasNickname: boolean;
}

export const CURRENT: Version = {
  path: '/api/v2/external_recipients',
  key: 'external_recipient',
  hasNickname: true,
};
export const OLDER: Version = {
  path: '/api/v1/pay_recipients',
  key: 'pay_recipient',
  hasNickname: false,
};

/** Returns the endpoints of recipients, in one version. */
export function externalRecipientsApi(
  { settings, faults }: MerchantContext,
  recipients: ExternalRecipients,
  { path, key, hasNickname }: Version,
): ApiResource<WireObject, ExternalRecipient> {
  return {
    path,
    name: 'recipient',
    schema({ type }): BodySchema {
      const nickname: BodySchema = hasNickname ? { nickname: optional(text) } : {};
      return {
        type: required(oneOf(...RECIPIENT_TYPES)),
        [key]: isRecipientType(type)
          ? { required: true, fields: { ...recipientSchema(type, settings.strict), ...nickname } }
          : required(() => null),
      };
    },
    view: {
      identityOf: ({ type, fields }) => subjectOf(type, fields),
      read({ id, type, fields, reference }, subject) {
        const isHidden = faults.inject('unavailable-reference', subject) !== null;
        const attributes = {
          recipient_type: titleOf(type),
          account_alias: null,
          status: 'Approved',
          recipient_reference: isHidden ? 'Unavailable' : reference,
          ...fields,
        };
        return JSON.stringify({ data: { id, type: key, attributes } });
      },
    },
    find: (id) => recipients.find(id),
    check(body) {
      const type = body.type as RecipientType;
      const { ...fields } = body[key] as WireObject;
      if (type === 'mobile_wallet') fields.phone_number = withPlus(fields.phone_number);
      return { subject: subjectOf(type, fields), commit: () => recipients.create(type, fields) };
    },
  };
}

function subjectOf(type: RecipientType, fields: Readonly<WireObject>) {
  return type === 'mobile_wallet' ? { phone: String(fields.phone_number) } : {};
}
