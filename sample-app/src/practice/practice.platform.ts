import type { PaymentsOptions } from '@tillkit/payments';
import { PRACTICE_PHONES, type PracticePhone } from './practice-phones.table.js';

/** What a shop needs to know to talk to a platform. */
export interface PlatformAccess {
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly apiKey: string;
}

const TILL = '514459';

/** The port that a practice platform would like to have. */
export const PRACTICE_PORT = 4010;

/** A simulated platform, with phones that answer by themselves. */
export abstract class PracticePlatform {
  constructor(protected readonly access: PlatformAccess) {}

  get url(): string {
    return this.access.url;
  }

  get phones(): readonly PracticePhone[] {
    return PRACTICE_PHONES;
  }

  get tillNumber(): string {
    return TILL;
  }

  /** What a shop at this address needs to work with it. */
  settings(publicUrl: string): PaymentsOptions {
    const { url, clientId, clientSecret, apiKey } = this.access;
    return { baseUrl: url, clientId, clientSecret, apiKeys: [apiKey], publicUrl, tillNumber: TILL };
  }

  abstract stop(): Promise<void>;
}
