import { createHash } from 'node:crypto';
import { darajaTimestamp } from '../values/timestamp.js';
import type { WireObject } from '../transactions/transaction.resource.js';

/** The short code of every till outside the company, which a till-to-till transaction shows as its sender. */
const SENDING_SHORT_CODE = '600123';

/** Returns the Daraja payload of a webhook, which a subscription can choose. It has no topic and no event id. */
export function darajaPayload(resource: WireObject): WireObject {
  const isFromTill = resource.sending_till !== undefined;
  const phone = textOf(resource.sender_phone_number);
  return {
    TransactionType: isFromTill ? 'Organization To Organization Transfer' : 'Buy Goods',
    TransID: textOf(resource.reference),
    TransTime: darajaTimestamp(Date.parse(textOf(resource.origination_time))),
    TransAmount: Number(resource.amount).toFixed(2),
    BusinessShortCode: textOf(resource.till_number),
    BillRefNumber: '',
    InvoiceNumber: '',
    OrgAccountBalance: '',
    ThirdPartyTransID: '',
    MSISDN: isFromTill
      ? SENDING_SHORT_CODE
      : phone && createHash('sha256').update(phone.slice(1)).digest('base64'),
    FirstName: textOf(resource.sender_first_name ?? resource.sending_till),
    MiddleName: textOf(resource.sender_middle_name),
    LastName: textOf(resource.sender_last_name),
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
