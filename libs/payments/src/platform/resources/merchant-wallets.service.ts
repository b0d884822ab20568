import { IsOptional } from 'class-validator';
import type { CurrentSettings } from '../../accounts/payments.settings.js';
import { Concealed, filled, Satisfies, validateInput } from '../../runtime/validate-input.js';
import { internationalPhone, phoneProblem } from '../input.dto.js';
import type { CreatedResource, PlatformClient } from '../platform-client.js';
import { createResource, getResource } from '../resource-requests.js';
import { type ResourceTable, type Shown, text, textOr } from '../resource-table.js';
import { toWireFields } from '../wire-value.js';

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
   * @throws PlatformUnreachableError | PlatformTimeoutError | PlatformUnauthorizedError | PlatformRateLimitedError | PlatformRedirectError |
   * InterceptedRequestError | AccountRemovedError | SendingPausedError | StoreUnavailableError when it was certainly not processed, for as long as `sending.sendBeforeMs` (60 s)
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
    return createResource(this.client, MERCHANT_WALLET, toWireFields(checked));
  }

  /**
   * Reads a mobile money account of the merchant.
   * @throws PlatformRejectedError with status 404 when the platform does not have the id
   */
  get(id: string): Promise<MerchantWallet> {
    return getResource(this.client, MERCHANT_WALLET, id);
  }
}

/**
 * A mobile money account of the merchant.
 * @see docs/conformance.md#merchant-wallets
 * @publicApi
 */
export class CreateMerchantWalletDto {
  @Satisfies(filled)
  firstName: string;

  @Satisfies(filled)
  lastName: string;

  /** Mobile number in international form with `+`, or as written in `defaultCountry`: `+254700000001`, `0700 000 001`. */
  @Satisfies(phoneProblem)
  phoneNumber: string;

  /** Name of the mobile network: `Safaricom`. */
  @Satisfies(filled)
  network: string;

  /** A name under which the platform shows the account. */
  @IsOptional()
  @Satisfies(filled)
  nickname?: string;
}

const MERCHANT_WALLET = {
  noun: 'merchant wallet',
  path: '/api/v2/merchant_wallets',
  types: ['merchant_wallet'],
  purpose: 'other',
  fields: {
    /** `Approved`, or another status. */
    status: text,
    /** A destination names this as its `reference`. `Unavailable`: only the platform's own dashboard shows it. */
    accountReference: text,
    firstName: text,
    lastName: text,
    phoneNumber: textOr('msisdn'),
    network: text,
    nickname: text,
  },
} satisfies ResourceTable;

/**
 * A mobile money account of the merchant as the platform shows it. A field that the platform did not send is null.
 * @see docs/conformance.md#merchant-wallets
 * @publicApi
 */
export interface MerchantWallet extends Shown<typeof MERCHANT_WALLET> {}
