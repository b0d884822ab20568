/** The attacker gives these settings to the process that it attacks. */
export interface TargetSettings {
  platform: 'express' | 'fastify';
  port: number;
  baseUrl: string;
  clientId: string;
  clientSecret: string;
  apiKey: string;
  /** Without a database the target keeps everything in memory. */
  databaseUrl: string | null;
  bodyTimeoutMs: number;
  /** Payments that the target requests, and that nobody pays. */
  payments: number;
}

/** Each payment of the target asks for this amount. */
export const REQUESTED = { currency: 'KES', value: '100.00' };

/** A payment of the target, as the platform knows it. */
export interface TargetPayment {
  id: string;
  platformId: string;
  callbackUrl: string;
}

/** An event that a listener of the target received. */
export interface TargetEvent {
  name: 'payment.succeeded' | 'till.transaction.received';
  eventId: string;
  /** Reference of the transaction, or `id` and its id when it has none. */
  reference: string | null;
  tillNumber: string | null;
  amount: string | null;
  currency: string | null;
  /** Platform id of the payment. */
  platformId: string | null;
}

/** The target sends these messages to the attacker. */
export type TargetMessage =
  | { kind: 'ready'; payments: TargetPayment[] }
  | { kind: 'event'; event: TargetEvent }
  | { kind: 'memory'; rssMb: number }
  /** A line of the log at the level of an error. */
  | { kind: 'error'; line: string }
  | { kind: 'warning'; line: string };
