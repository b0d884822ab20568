import type { ResourceEnvelope } from '../../../money/resource-envelope.js';
import { toWireFields, wireTextOf, type WireObject } from '../../wire-value.js';
import type { CreateExternalRecipientDto } from './create-external-recipient.dto.js';

/** The second is the type of the older `pay_recipients`. */
export const EXTERNAL_RECIPIENT_TYPES = ['external_recipient', 'pay_recipient'] as const;

/**
 * A recipient of money as the platform shows it. A field that the platform did not send is null.
 * @see docs/conformance.md#external-recipients
 * @publicApi
 */
export interface ExternalRecipient {
  id: string;
  /** `Approved`, or another status. */
  status: string | null;
  /** As the platform writes it: `Mobile Wallet`, `Bank Account`, `Till`, `Paybill`. */
  recipientType: string | null;
  /** The platform's reference of the recipient. `Unavailable`: only the platform's own dashboard shows it. */
  recipientReference: string | null;
  accountAlias: string | null;
  firstName: string | null;
  lastName: string | null;
  phoneNumber: string | null;
  network: string | null;
  email: string | null;
  accountName: string | null;
  accountNumber: string | null;
  bankBranchRef: string | null;
  settlementMethod: string | null;
  tillName: string | null;
  tillNumber: string | null;
  paybillName: string | null;
  paybillNumber: string | null;
  paybillAccountNumber: string | null;
  nickname: string | null;
  /** The resource as the platform sent it. */
  raw: Record<string, unknown>;
}

export function readExternalRecipient({
  id,
  attributes,
  raw,
}: ResourceEnvelope): ExternalRecipient {
  const text = (...names: string[]): string | null => wireTextOf(attributes, ...names);
  return {
    id,
    status: text('status'),
    recipientType: text('recipient_type'),
    recipientReference: text('recipient_reference'),
    accountAlias: text('account_alias'),
    firstName: text('first_name'),
    lastName: text('last_name'),
    phoneNumber: text('phone_number', 'msisdn'),
    network: text('network'),
    email: text('email'),
    accountName: text('account_name'),
    accountNumber: text('account_number'),
    bankBranchRef: text('bank_branch_ref', 'bank_branch_id'),
    settlementMethod: text('settlement_method', 'transfer_method'),
    tillName: text('till_name'),
    tillNumber: text('till_number'),
    paybillName: text('paybill_name'),
    paybillNumber: text('paybill_number'),
    paybillAccountNumber: text('paybill_account_number'),
    nickname: text('nickname'),
    raw,
  };
}

/** @param recipient its phone number is in international form with `+` */
export function toWireExternalRecipient(recipient: CreateExternalRecipientDto): WireObject {
  const { type, ...fields } = recipient;
  return { type, external_recipient: toWireFields(fields) };
}
