import type { CurrentSettings } from '../../../work/payments.settings.js';
import { Concealed } from '../../../work/concealed.decorator.js';
import { internationalPhone } from '../../../work/mobile-phone.js';
import type { CreatedResource, PlatformClient } from '../../platform-client.js';
import { expectEnvelope } from '../../envelope.reader.js';
import { resourceId } from '../../resource-id.js';
import { validateInput } from '../../../work/validate-input.js';
import { toWireFields } from '../../wire-value.js';
import { CreateMerchantWalletDto } from './create-merchant-wallet.dto.js';
import {
  MERCHANT_WALLET_TYPE,
  readMerchantWallet,
  type MerchantWallet,
} from './merchant-wallet.resource.js';

const PATH = '/api/v2/merchant_wallets';

/**
 * Mobile money accounts of the merchant, to which the platform can transfer money. No money moves, and the platform posts no result.
 * @see docs/conformance.md#merchant-wallets
 * @publicApi
 */
@Concealed()
export class MerchantWalletsService {
  constructor(
    private readonly client: PlatformClient,
    private readonly settings: CurrentSettings,
  ) {}

  /**
   * Creates a mobile money account of the merchant.
   * @returns the id and the URL of the new resource
   * @throws PaymentsValidationError when the input is wrong; nothing was sent
   * @throws PlatformRejectedError when the platform refused
   * @throws UnknownOutcomeError when it may have been created: after a repeat there may be two
   * @example
   * const { id } = await wallets.create({
   *   firstName: 'Jane',
   *   lastName: 'Doe',
   *   phoneNumber: '+254700000001',
   *   network: 'Safaricom',
   * });
   */
  async create(dto: CreateMerchantWalletDto): Promise<CreatedResource> {
    const checked = validateInput(CreateMerchantWalletDto, dto);
    checked.phoneNumber = internationalPhone(checked.phoneNumber, this.settings.current);
    return this.client.create('create merchant wallet', PATH, toWireFields(checked), 'other');
  }

  /**
   * Reads a mobile money account of the merchant.
   * @throws PlatformRejectedError with status 404 when the platform does not have the id
   */
  async get(id: string): Promise<MerchantWallet> {
    const operation = 'get merchant wallet';
    const body = await this.client.read(operation, `${PATH}/${resourceId(id)}`);
    return readMerchantWallet(expectEnvelope(operation, body, id, MERCHANT_WALLET_TYPE));
  }
}
