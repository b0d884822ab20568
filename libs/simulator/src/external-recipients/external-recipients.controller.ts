import type { FaultInjector } from '../faults/faults.service.js';
import { titleOf } from '../payouts/destination.model.js';
import { optional, required, text, type BodySchema } from '../server/body.dto.js';
import { oneOf, withPlus } from '../server/field.rules.js';
import { Refusal, type PlatformAnswer } from '../server/platform-answer.dto.js';
import type { PlatformExchange, PlatformRoute } from '../server/platform-exchange.dto.js';
import type { RequestPipeline } from '../server/request-pipeline.service.js';
import type { SimulatorSettings } from '../simulator.options.js';
import type { WireObject } from '../transactions/transaction.resource.js';
import type { ExternalRecipient, ExternalRecipients } from './external-recipients.service.js';
import {
  isRecipientType,
  RECIPIENT_TYPES,
  recipientSchema,
  type RecipientType,
} from './recipient.fields.js';

/** One of the two versions of the endpoints. */
interface Version {
  readonly path: string;
  /** The key of the body and the type of the resource. */
  readonly key: string;
  readonly hasNickname: boolean;
}

const CURRENT: Version = {
  path: '/api/v2/external_recipients',
  key: 'external_recipient',
  hasNickname: true,
};
const OLDER: Version = { path: '/api/v1/pay_recipients', key: 'pay_recipient', hasNickname: false };

/** The endpoints of recipients: create and read, in both versions. */
export class ExternalRecipientRoutes {
  constructor(
    private readonly settings: SimulatorSettings,
    private readonly pipeline: RequestPipeline,
    private readonly recipients: ExternalRecipients,
    private readonly faults: FaultInjector,
  ) {}

  routes(): PlatformRoute[] {
    return this.routesOf(CURRENT);
  }

  olderRoutes(): PlatformRoute[] {
    return this.routesOf(OLDER);
  }

  private routesOf(version: Version): PlatformRoute[] {
    const { path } = version;
    return [
      { method: 'POST', path, handle: (exchange) => this.create(exchange, version) },
      { method: 'GET', path: `${path}/:id`, handle: (exchange) => this.get(exchange, version) },
    ];
  }

  private async create(exchange: PlatformExchange, version: Version): Promise<PlatformAnswer> {
    const resource = resourceOf(version);
    this.pipeline.authorise(exchange, resource);
    const body = this.pipeline.readBody<WireObject>(exchange, (given) =>
      this.schema(given.type, version),
    );
    const type = body.type as RecipientType;
    const { ...fields } = body[version.key] as WireObject;
    if (type === 'mobile_wallet') fields.phone_number = withPlus(fields.phone_number);
    return this.pipeline.create(exchange, subjectOf(resource, type, fields), () => {
      const { id } = this.recipients.add(type, fields);
      return `${version.path}/${id}`;
    });
  }

  private schema(type: unknown, { key, hasNickname }: Version): BodySchema {
    const fields = isRecipientType(type) ? recipientSchema(type, this.settings.strict) : null;
    return {
      type: required(oneOf(...RECIPIENT_TYPES)),
      [key]: fields
        ? {
            required: true,
            fields: { ...fields, ...(hasNickname ? { nickname: optional(text) } : {}) },
          }
        : required(() => null),
    };
  }

  private async get(exchange: PlatformExchange, version: Version): Promise<PlatformAnswer> {
    const resource = resourceOf(version);
    this.pipeline.authorise(exchange, resource);
    const recipient = this.recipients.find(exchange.params.id ?? '');
    if (!recipient) throw new Refusal(404, 'The recipient was not found');
    const subject = subjectOf(resource, recipient.type, recipient.fields);
    return this.pipeline.read(exchange, subject, () => {
      const unavailable = this.faults.inject('unavailable-reference', subject) !== null;
      return JSON.stringify(this.resource(recipient, version.key, unavailable));
    });
  }

  private resource({ id, type, fields, reference }: ExternalRecipient, key: string, hide: boolean) {
    return {
      data: {
        id,
        type: key,
        attributes: {
          recipient_type: titleOf(type),
          account_alias: null,
          status: 'Approved',
          recipient_reference: hide ? 'Unavailable' : reference,
          ...fields,
        },
      },
    };
  }
}

function resourceOf({ path }: Version): string {
  return path.split('/').at(-1)!;
}

function subjectOf(resource: string, type: RecipientType, fields: Readonly<WireObject>) {
  return { resource, ...(type === 'mobile_wallet' ? { phone: String(fields.phone_number) } : {}) };
}
