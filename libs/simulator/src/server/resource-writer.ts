import type { NewDelivery } from '../deliveries/delivery.record.js';
import type { FaultSubject } from '../faults/fault-subject.js';
import type { FaultKind } from '../faults/faults.constants.js';
import type { MerchantContext } from '../merchants/merchant-context.js';
import type { WireObject } from '../transactions/transaction.resource.js';
import { amountText } from '../values/amount.js';
import type { ResourceView } from './resource-routes.js';

/** Faults change these parts of the platform's text about a resource. */
export interface ContentChanges {
  /** The status that is written instead of the true one. */
  readonly status: string | undefined;
  readonly numberAmounts: boolean;
  readonly stringErrors: boolean;
  /** True when disbursements repeat only the type of their destination. */
  readonly bareDisbursements: boolean;
}

/** Writes one kind of resource, in a read and in the callback about it. */
export interface ResourceFormat<Item> {
  readonly path: string;
  /** `data.type`, and the topic of the callback. */
  readonly type: string;
  /** The faults of its content, besides `unknown-field`. */
  readonly faults: readonly FaultKind[];
  readonly callbackUrlOf: (item: Item) => string;
  readonly identityOf: (item: Item) => { paymentId?: string; phone?: string };
  /** Returns the attributes without `_links`. */
  readonly attributes: (item: Item, changes: ContentChanges) => WireObject;
}

/** Writes the resources of one kind, with faults of their content, and sends the callbacks about them. */
export class ResourceWriter<Item extends { readonly id: string }> implements ResourceView<Item> {
  constructor(
    private readonly context: Pick<MerchantContext, 'faults' | 'deliveries' | 'baseUrl'>,
    private readonly format: ResourceFormat<Item>,
  ) {}

  identityOf(item: Item): FaultSubject {
    return this.format.identityOf(item);
  }

  /** Returns the JSON text of the resource. */
  read(item: Item, subject: FaultSubject): string {
    const { path, type, callbackUrlOf } = this.format;
    const { faults, baseUrl } = this.context;
    const attributes = this.format.attributes(item, this.changes(subject));
    const isExtended = faults.inject('unknown-field', subject) !== null;
    const links = { callback_url: callbackUrlOf(item), self: `${baseUrl()}${path}/${item.id}` };
    return JSON.stringify({
      data: {
        id: item.id,
        type,
        attributes: {
          ...attributes,
          ...(isExtended && { risk_score: { value: 7, model: 'none' } }),
          _links: links,
        },
      },
    });
  }

  /** Returns the callback with the present state. */
  callback(item: Item): NewDelivery {
    const { type: topic, callbackUrlOf } = this.format;
    const identity = this.format.identityOf(item);
    const body = this.read(item, { delivery: 'callback', topic, ...identity });
    return { kind: 'callback', topic, url: callbackUrlOf(item), body, ...identity };
  }

  /** Delivers the present state. @returns after the first attempt */
  async deliver(item: Item): Promise<void> {
    await this.context.deliveries.send(this.callback(item));
  }

  private changes(subject: FaultSubject): ContentChanges {
    const inject = (kind: FaultKind) =>
      this.format.faults.includes(kind) ? this.context.faults.inject(kind, subject) : null;
    return {
      status: inject('unknown-status')?.paymentStatus,
      numberAmounts: inject('number-amounts') !== null,
      stringErrors: inject('string-errors') !== null,
      bareDisbursements: inject('bare-disbursements') !== null,
    };
  }
}

/** Returns an amount: a decimal in a string, unless a fault makes it a number. */
export function writeAmount(value: number, { numberAmounts }: ContentChanges) {
  return numberAmounts ? value : amountText(value);
}

/** Writes error texts as a list, unless a fault makes them one text. */
export function writeErrors(errors: readonly string[] | null, { stringErrors }: ContentChanges) {
  return stringErrors && errors ? errors.join(', ') : errors;
}
