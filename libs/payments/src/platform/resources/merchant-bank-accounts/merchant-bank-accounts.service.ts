import { Concealed } from '../../../work/concealed.decorator.js';
import type { CreatedResource, PlatformClient } from '../../platform-client.js';
import { expectEnvelope } from '../../envelope.reader.js';
import { resourceId } from '../../resource-id.js';
import { validateInput } from '../../../work/validate-input.js';
import { toWireFields } from '../../wire-value.js';
import { CreateMerchantBankAccountDto } from './create-merchant-bank-account.dto.js';
import {
  MERCHANT_BANK_ACCOUNT_TYPE,
  readMerchantBankAccount,
  type MerchantBankAccount,
} from './merchant-bank-account.resource.js';

const PATH = '/api/v2/merchant_bank_accounts';

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
    return this.client.create('create merchant bank account', PATH, toWireFields(checked), 'other');
  }

  /**
   * Reads a bank account of the merchant.
   * @throws PlatformRejectedError with status 404 when the platform does not have the id
   */
  async get(id: string): Promise<MerchantBankAccount> {
    const operation = 'get merchant bank account';
    const body = await this.client.read(operation, `${PATH}/${resourceId(id)}`);
    return readMerchantBankAccount(expectEnvelope(operation, body, id, MERCHANT_BANK_ACCOUNT_TYPE));
  }
}
