import type { SimulatedMerchant } from '../merchants/merchant.model.js';
import type { Simulator } from '../simulator.js';

export interface Answer {
  status: number;
  headers: Headers;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read any field of a body
  body: any;
}

/** A client of the platform that keeps to the contract, for tests of the simulator. */
export class PlatformClient {
  token = '';

  /** @param merchant the merchant of the application. @default the first merchant */
  constructor(
    readonly simulator: Simulator,
    private readonly merchant: Pick<SimulatedMerchant, 'clientId' | 'clientSecret'> = simulator,
  ) {}

  async form(
    path: string,
    fields: Record<string, string>,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    return this.send('POST', path, new URLSearchParams(fields).toString(), {
      'content-type': 'application/x-www-form-urlencoded',
      ...headers,
    });
  }

  /** Requests a token and uses it from then on. */
  async authenticate(): Promise<Answer> {
    const { clientId, clientSecret } = this.merchant;
    const answer = await this.form('/oauth/token', {
      client_id: clientId,
      client_secret: clientSecret,
      grant_type: 'client_credentials',
    });
    this.token = String((answer.body as { access_token?: string }).access_token);
    return answer;
  }

  async post(
    path: string,
    body: unknown,
    headers: Record<string, string | null> = {},
  ): Promise<Answer> {
    return this.send('POST', path, typeof body === 'string' ? body : JSON.stringify(body), {
      'content-type': 'application/json',
      ...this.headers(),
      ...headers,
    });
  }

  async get(path: string, headers: Record<string, string | null> = {}): Promise<Answer> {
    return this.send('GET', path, undefined, { ...this.headers(), ...headers });
  }

  /** Creates a payment. @returns its id. */
  async pay(changes: PaymentChanges = {}): Promise<string> {
    const answer = await this.post('/api/v2/incoming_payments', payment(changes));
    if (answer.status !== 201) throw new Error(`Refused: ${JSON.stringify(answer.body)}`);
    return idOf(answer);
  }

  private headers(): Record<string, string> {
    return {
      accept: 'application/json',
      authorization: `Bearer ${this.token}`,
      'user-agent': 'spec/1.0 (tests)',
    };
  }

  private async send(
    method: string,
    path: string,
    body: string | undefined,
    headers: Record<string, string | null>,
  ): Promise<Answer> {
    const given = Object.entries(headers).filter(
      (entry): entry is [string, string] => entry[1] !== null,
    );
    const response = await fetch(this.simulator.url + path, {
      method,
      redirect: 'manual',
      headers: Object.fromEntries(given),
      ...(body === undefined ? {} : { body }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: parse(text) };
  }
}

export interface PaymentChanges {
  phone?: string;
  till?: string;
  value?: unknown;
  currency?: unknown;
  callbackUrl?: string;
  metadata?: unknown;
}

/** Returns the body of a valid payment request, with changes. */
export function payment(changes: PaymentChanges = {}) {
  return {
    payment_channel: 'M-PESA STK Push',
    till_number: changes.till ?? '514459',
    subscriber: {
      first_name: 'Jane',
      last_name: 'Doe',
      phone_number: changes.phone ?? '+254700000001',
    },
    amount: { currency: changes.currency ?? 'KES', value: changes.value ?? 100 },
    ...('metadata' in changes
      ? { metadata: changes.metadata }
      : { metadata: { customer_id: '7' } }),
    _links: { callback_url: changes.callbackUrl ?? 'http://127.0.0.1:9/callbacks' },
  };
}

export function idOf(answer: Answer): string {
  return answer.headers.get('location')!.split('/').at(-1)!;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
