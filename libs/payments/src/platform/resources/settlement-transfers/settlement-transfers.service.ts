import { Concealed } from '../../../work/concealed.decorator.js';
import { assertBareCreates } from '../../bare-creates.js';
import type { CurrentSettings } from '../../../work/payments.settings.js';
import type { BareCallbacks } from '../../bare-callbacks.js';
import type { CreatedResource, PlatformClient } from '../../platform-client.js';
import { expectEnvelope } from '../../envelope.reader.js';
import { resourceId } from '../../resource-id.js';
import { validateInput } from '../../../work/validate-input.js';
import {
  SettlementTransferFields,
  type CreateSettlementTransferDto,
} from './create-settlement-transfer.dto.js';
import {
  readSettlementTransfer,
  SETTLEMENT_TRANSFER_TYPE,
  toWireSettlementTransfer,
  type SettlementTransfer,
} from './settlement-transfer.resource.js';

const PATH = '/api/v1/settlement_transfers';

/**
 * The bare resource: transfers money to an account of the merchant, without idempotency key and without following the outcome.
 * @deprecated The platform replaced it: use `SendMoneyService` with a destination of the type `merchant_wallet` or
 * `merchant_bank_account`, or with `sweepAllFunds`.
 * @see docs/conformance.md#settlement-transfers
 * @publicApi
 */
@Concealed()
export class SettlementTransfersService {
  constructor(
    private readonly client: PlatformClient,
    private readonly callbacks: BareCallbacks,
    private readonly settings: CurrentSettings,
  ) {}

  /**
   * Transfers an amount, or ALL funds, to an account of the merchant: each call that succeeds can move the money once. The platform posts
   * the results to `callbackUrl`. When it posts to our own URL, we emit `settlement-transfer.completed`.
   * @returns the id and the URL of the new resource
   * @throws PaymentsValidationError when the input is wrong, also when `amount` is missing and `sweepAllFunds` is not true; nothing was sent
   * @throws PayoutLimitError when the account has `payouts.limits`, which this call would pass; nothing was sent
   * @throws PlatformUnreachableError | PlatformTimeoutError when the platform is unreachable before the create; nothing was sent
   * @throws PlatformRejectedError when the platform refused; no money moves
   * @throws UnknownOutcomeError when the money may have been transferred: do not send it again
   * @example
   * const { id } = await transfers.create({
   *   amount: { currency: 'KES', value: '1000.00' },
   *   destinationType: 'merchant_wallet',
   *   destinationReference: 'wallet-1',
   * });
   */
  async create(dto: CreateSettlementTransferDto): Promise<CreatedResource> {
    assertBareCreates(this.settings.current);
    const checked = validateInput(SettlementTransferFields, dto);
    const callbackUrl = this.callbacks.urlOf('settlement-transfers', checked.callbackUrl);
    const body = toWireSettlementTransfer(checked, callbackUrl);
    return this.client.create('create settlement transfer', PATH, body);
  }

  /**
   * Reads a transfer. No money moves.
   * @throws PlatformRejectedError with status 404 when the platform does not have the id
   * @throws PlatformUnavailableError | PlatformTimeoutError | PlatformUnreachableError after several attempts
   */
  async get(id: string): Promise<SettlementTransfer> {
    const operation = 'get settlement transfer';
    const body = await this.client.read(operation, `${PATH}/${resourceId(id)}`);
    return readSettlementTransfer(expectEnvelope(operation, body, id, SETTLEMENT_TRANSFER_TYPE));
  }
}
