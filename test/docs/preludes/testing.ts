/**
 * The code of docs/testing.md uses these names without declaring them: globals of Jest and Vitest, and tools as far as the page shows them. npm run
 * test:hosts runs the tools themselves.
 */
import type { INestApplication } from '@nestjs/common';
import type { PaymentsService, RequestPayment } from '@tillkit/payments';

export { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
export { PaymentsHttpService } from '@tillkit/payments';

interface Scope {
  get(path: string): NockedRequest;
  post(path: string): NockedRequest;
}

interface NockedRequest {
  reply(status: number, body?: unknown, headers?: Record<string, string>): Scope;
}

interface MockedRequest {
  reply(status: number, body?: unknown, headers?: Record<string, string>): MockAdapter;
  timeout(): MockAdapter;
}

export declare const nock: (origin: string) => Scope;

/** It comes from axios-mock-adapter. */
export declare class MockAdapter {
  constructor(axios: object);
  onGet(): MockedRequest;
  onPost(url: string | RegExp): MockedRequest;
}

export declare const app: INestApplication;
export declare const payments: PaymentsService;
export declare const input: RequestPayment;
