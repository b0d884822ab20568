/** Reads one polling result once, and reports time and memory. */
import { get } from 'node:http';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { PaymentsModule, PollingService } from '@tillkit/payments';
import { accountOptions } from './payments.application.js';
import { host, settingsOf } from './subject.host.js';

export interface ReadResult {
  ms: number;
  /** Peak of the resident memory during the read, minus the memory before it. */
  peakMb: number;
  transactions: number;
}

const { baseUrl } = settingsOf<{ baseUrl: string }>();

@Module({ imports: [PaymentsModule.forRoot(accountOptions(baseUrl))] })
class ReaderModule {}

const app = await NestFactory.createApplicationContext(ReaderModule, { logger: ['error'] });
const polling = app.get(PollingService);

interface Listed {
  data: { attributes: { transactions: unknown[] } };
}

/** Downloads the polling result as text. */
async function download(): Promise<string> {
  return new Promise((resolve, reject) => {
    get(`${baseUrl}/api/v2/polling/polling-1`, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
      response.once('error', reject);
    }).once('error', reject);
  });
}

/** `maxRSS` never decreases, so each read method needs a new process: the growth is the peak of that method. */
async function measured(
  read: () => Promise<{ transactions: number; ms?: number }>,
): Promise<ReadResult> {
  globalThis.gc?.();
  const before = process.memoryUsage().rss;
  const startedAt = performance.now();
  const { transactions, ms = performance.now() - startedAt } = await read();
  const peakMb = (process.resourceUsage().maxRSS * 1024 - before) / 2 ** 20;
  return { ms, peakMb, transactions };
}

function countIn(text: string): number {
  return (JSON.parse(text) as Listed).data.attributes.transactions.length;
}

/** The time includes only the parsing; the memory includes the text and the objects. */
async function parse(): Promise<{ transactions: number; ms: number }> {
  const text = await download();
  const startedAt = performance.now();
  const transactions = countIn(text);
  return { transactions, ms: performance.now() - startedAt };
}

host(
  {
    parse: () => measured(parse),
    downloadAndParse: () => measured(async () => ({ transactions: countIn(await download()) })),
    read: () =>
      measured(async () => ({
        transactions: (await polling.get('polling-1')).transactions.length,
      })),
  },
  () => app.close(),
);
