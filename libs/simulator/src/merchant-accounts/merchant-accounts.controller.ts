import type { FaultInjector } from '../faults/faults.service.js';
import { optional, required, text, type BodySchema } from '../server/body.dto.js';
import { oneOf, phoneWithPlus, withPlus } from '../server/field.rules.js';
import { Refusal, type PlatformAnswer } from '../server/platform-answer.dto.js';
import type { PlatformExchange, PlatformRoute } from '../server/platform-exchange.dto.js';
import type { RequestPipeline } from '../server/request-pipeline.service.js';
import type { SimulatorSettings } from '../simulator.options.js';
import type { WireObject } from '../transactions/transaction.resource.js';
import type { MerchantAccounts, MerchantAccountType } from './merchant-accounts.service.js';

const TYPES: readonly MerchantAccountType[] = ['merchant_wallet', 'merchant_bank_account'];

/** The endpoints of own accounts: create and read, which are alike in both versions. */
export class MerchantAccountRoutes {
  private readonly schemas: Readonly<Record<MerchantAccountType, BodySchema>>;

  constructor(
    { strict }: SimulatorSettings,
    private readonly pipeline: RequestPipeline,
    private readonly accounts: MerchantAccounts,
    private readonly faults: FaultInjector,
  ) {
    this.schemas = {
      merchant_wallet: {
        first_name: required(text),
        last_name: required(text),
        phone_number: required(phoneWithPlus(strict)),
        network: required(text),
        nickname: optional(text),
      },
      merchant_bank_account: {
        account_name: required(text),
        account_number: required(text),
        bank_branch_ref: required(text),
        settlement_method: required(oneOf('EFT', 'RTS')),
        nickname: optional(text),
      },
    };
  }

  routes(): PlatformRoute[] {
    return TYPES.flatMap((type) =>
      ['v1', 'v2'].flatMap((version) => {
        const path = `/api/${version}/${type}s`;
        return [
          {
            method: 'POST' as const,
            path,
            handle: (exchange: PlatformExchange) => this.create(exchange, type, path),
          },
          {
            method: 'GET' as const,
            path: `${path}/:id`,
            handle: (exchange: PlatformExchange) => this.get(exchange, type),
          },
        ];
      }),
    );
  }

  private async create(
    exchange: PlatformExchange,
    type: MerchantAccountType,
    path: string,
  ): Promise<PlatformAnswer> {
    this.pipeline.authorise(exchange, `${type}s`);
    const { ...fields } = this.pipeline.readBody<WireObject>(exchange, this.schemas[type]);
    if (type === 'merchant_wallet') fields.phone_number = withPlus(fields.phone_number);
    return this.pipeline.create(exchange, subjectOf(type, fields), () => {
      const { id } = this.accounts.add(type, fields);
      return `${path}/${id}`;
    });
  }

  private async get(
    exchange: PlatformExchange,
    type: MerchantAccountType,
  ): Promise<PlatformAnswer> {
    this.pipeline.authorise(exchange, `${type}s`);
    const account = this.accounts.find(type, exchange.params.id ?? '');
    if (!account) throw new Refusal(404, 'The account was not found');
    const { id, fields, reference } = account;
    const subject = subjectOf(type, fields);
    return this.pipeline.read(exchange, subject, () => {
      const unavailable = this.faults.inject('unavailable-reference', subject) !== null;
      return JSON.stringify({
        data: {
          id,
          type,
          attributes: {
            status: 'Approved',
            account_reference: unavailable ? 'Unavailable' : reference,
            ...fields,
          },
        },
      });
    });
  }
}

function subjectOf(type: MerchantAccountType, fields: Readonly<WireObject>) {
  return {
    resource: `${type}s`,
    ...(type === 'merchant_wallet' ? { phone: String(fields.phone_number) } : {}),
  };
}
