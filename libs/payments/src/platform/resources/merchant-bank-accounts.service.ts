import { IsOptional } from 'class-validator';
import { Concealed, filled, Satisfies, validateInput } from '../../runtime/validate-input.js';
import type { CreatedResource, PlatformClient } from '../platform-client.js';
import { createResource, getResource } from '../resource-requests.js';
import { type ResourceTable, type Shown, text, textOr } from '../resource-table.js';
import { toWireFields } from '../wire-value.js';

/**
 * Bank accounts of the merchant, to which the platform can transfer money. No money moves, and the platform posts no result.
 * @see docs/conformance.md#merchant-bank-accounts
 * @publicApi
 */
@Concealed()
export class MerchantBankAccountsService {
  constructor(private readonly client: PlatformClient) {}

  /**
   * Creates a bank account of the merchant.
   * @returns the id and the URL of the new resource
   * @throws PaymentsValidationError when the input is wrong; nothing was sent
   * @throws PlatformRejectedError when the platform refused
   * @throws PlatformUnreachableError | PlatformTimeoutError | PlatformUnauthorizedError | PlatformRateLimitedError | PlatformRedirectError |
   * InterceptedRequestError | AccountRemovedError | SendingPausedError | StoreUnavailableError when it was certainly not processed, for as long as `sending.sendBeforeMs` (60 s)
   * @throws UnknownOutcomeError when it may have been created: after a repeat there may be two
   * @example
   * const { id } = await accounts.create({
   *   accountName: 'Shop Ltd',
   *   accountNumber: '0001',
   *   bankBranchRef: 'branch-1',
   *   settlementMethod: 'EFT',
   * });
   */
  async create(dto: CreateMerchantBankAccountDto): Promise<CreatedResource> {
    const checked = validateInput(CreateMerchantBankAccountDto, dto);
    return createResource(this.client, MERCHANT_BANK_ACCOUNT, toWireFields(checked));
  }

  /**
   * Reads a bank account of the merchant.
   * @throws PlatformRejectedError with status 404 when the platform does not have the id
   */
  get(id: string): Promise<MerchantBankAccount> {
    return getResource(this.client, MERCHANT_BANK_ACCOUNT, id);
  }
}

/**
 * A bank account of the merchant.
 * @see docs/conformance.md#merchant-bank-accounts
 * @publicApi
 */
export class CreateMerchantBankAccountDto {
  @Satisfies(filled)
  accountName: string;

  @Satisfies(filled)
  accountNumber: string;

  /** The platform's id of the bank's branch. Only the platform's own dashboard shows it. */
  @Satisfies(filled)
  bankBranchRef: string;

  /** Banks transfer the money by this method: `EFT` or `RTS`. */
  @Satisfies(filled)
  settlementMethod: string;

  /** A name under which the platform shows the account. */
  @IsOptional()
  @Satisfies(filled)
  nickname?: string;
}

const MERCHANT_BANK_ACCOUNT = {
  noun: 'merchant bank account',
  path: '/api/v2/merchant_bank_accounts',
  types: ['merchant_bank_account'],
  purpose: 'other',
  fields: {
    /** `Approved`, or another status. */
    status: text,
    /** A destination names this as its `reference`. `Unavailable`: only the platform's own dashboard shows it. */
    accountReference: text,
    accountName: text,
    accountNumber: text,
    bankBranchRef: textOr('bank_branch_id'),
    settlementMethod: textOr('transfer_method'),
    nickname: text,
  },
} satisfies ResourceTable;

/**
 * A bank account of the merchant as the platform shows it. A field that the platform did not send is null.
 * @see docs/conformance.md#merchant-bank-accounts
 * @publicApi
 */
export interface MerchantBankAccount extends Shown<typeof MERCHANT_BANK_ACCOUNT> {}
