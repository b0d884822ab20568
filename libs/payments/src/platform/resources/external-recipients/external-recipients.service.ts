import { PaymentsValidationError } from '../../../payments.errors.js';
import type { CurrentSettings } from '../../../work/payments.settings.js';
import { Concealed } from '../../../work/concealed.decorator.js';
import { internationalPhone } from '../../../work/mobile-phone.js';
import type { CreatedResource, PlatformClient } from '../../platform-client.js';
import { expectEnvelope } from '../../envelope.reader.js';
import { resourceId } from '../../resource-id.js';
import { checkVariant } from '../../../work/validate-input.js';
import {
  RECIPIENT_CLASSES,
  type CreateExternalRecipientDto,
} from './create-external-recipient.dto.js';
import {
  EXTERNAL_RECIPIENT_TYPES,
  readExternalRecipient,
  toWireExternalRecipient,
  type ExternalRecipient,
} from './external-recipient.resource.js';

const PATH = '/api/v2/external_recipients';

/**
 * Recipients of money that the platform keeps. No money moves, and the platform posts no result. A recipient that was created with the
 * older `pay_recipients` is read too.
 * @see docs/conformance.md#external-recipients
 * @publicApi
 */
@Concealed()
export class ExternalRecipientsService {
  constructor(
    private readonly client: PlatformClient,
    private readonly settings: CurrentSettings,
  ) {}

  /**
   * Creates a recipient.
   * @returns the id and the URL of the new resource
   * @throws PaymentsValidationError when the input is wrong; nothing was sent
   * @throws PlatformRejectedError when the platform refused
   * @throws UnknownOutcomeError when it may have been created: after a repeat there may be two
   * @example
   * const { id } = await recipients.create({
   *   type: 'mobile_wallet',
   *   firstName: 'Jane',
   *   lastName: 'Doe',
   *   phoneNumber: '+254700000001',
   *   network: 'Safaricom',
   * });
   */
  async create(dto: CreateExternalRecipientDto): Promise<CreatedResource> {
    const { value, problems } = checkVariant(RECIPIENT_CLASSES, dto);
    if (value === null || problems.length > 0) throw new PaymentsValidationError(problems);
    if (value.type === 'mobile_wallet')
      value.phoneNumber = internationalPhone(value.phoneNumber, this.settings.current);
    return this.client.create(
      'create external recipient',
      PATH,
      toWireExternalRecipient(value),
      'other',
    );
  }

  /**
   * Reads a recipient.
   * @throws PlatformRejectedError with status 404 when the platform does not have the id
   */
  async get(id: string): Promise<ExternalRecipient> {
    const operation = 'get external recipient';
    const body = await this.client.read(operation, `${PATH}/${resourceId(id)}`);
    return readExternalRecipient(expectEnvelope(operation, body, id, ...EXTERNAL_RECIPIENT_TYPES));
  }
}
