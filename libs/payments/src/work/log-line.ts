import { inspect } from 'node:util';

/** What a line of the log is about. None of them is a secret or personal data; their values are masked all the same, but for the ids of events. */
export interface LogFields {
  account?: string;
  operationId?: string;
  deliveryId?: string;
  eventId?: string;
  /** Id of the listener. */
  listener?: string;
  /** Name of the event. */
  event?: string;
  attempt?: number;
  /** Id of a resource of the platform. */
  resourceId?: string;
  /** Reference of a transaction. */
  reference?: string;
}

/**
 * A sentence with its fields. Each logger writes it in its own way: `ConsoleLogger` as text, with the fields behind the sentence; with
 * `json: true` as an object; pino, which copies the fields of an object, with each field beside `msg`.
 */
export class LogLine {
  constructor(
    readonly msg: string,
    fields: Readonly<Record<string, string | number>>,
  ) {
    Object.assign(this, fields);
  }

  toString(): string {
    const { msg, stack, ...fields } = this as unknown as Record<string, string | number>;
    const text = Object.entries(fields).map(([name, value]) => ` ${name}=${value}`);
    return `${msg}${text.join('')}${stack === undefined ? '' : `\n${stack}`}`;
  }

  /** `ConsoleLogger` writes as text what `inspect` gives. */
  [inspect.custom](): string {
    return this.toString();
  }
}
