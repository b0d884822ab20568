/**
 * A merchant without Tillkit whose webhooks become jobs of graphile-worker: a Nest route checks the HMAC and adds a job, and the
 * same process works the jobs. A job inserts its transaction once.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import {
  Controller,
  HttpCode,
  Module,
  Post,
  Req,
  UnauthorizedException,
  type RawBodyRequest,
} from '@nestjs/common';
import { Logger, makeWorkerUtils, run, WorkerPreset, type TaskList } from 'graphile-worker';
import { API_KEY } from '../bench.constants.js';
import { countedPool } from './counted.pool.js';
import { createApplication, listen } from './payments.application.js';
import { Progress } from './progress.js';
import { host, settingsOf } from './subject.host.js';

interface JobQueueSettings {
  databaseUrl: string;
  /** Jobs that run at the same time. */
  concurrency: number;
}

interface Webhook {
  event: { resource: { reference: string; amount: string; sender_phone_number: string } };
}

const { databaseUrl, concurrency } = settingsOf<JobQueueSettings>();
const { pool, statements } = countedPool(databaseUrl);
// graphile-worker warns when nobody listens.
pool.on('error', () => undefined);
pool.on('connect', (client) => client.on('error', () => undefined));
await pool.query(
  'create table if not exists shop_transaction (reference text primary key, amount text not null, phone text)',
);
const logger = new Logger(() => (level, message) => {
  if (level === 'error') console.error(message);
});
const processed = new Progress();

const taskList: TaskList = {
  async webhook(payload) {
    const { reference, amount, sender_phone_number } = (payload as Webhook).event.resource;
    const { rowCount } = await pool.query(
      'insert into shop_transaction (reference, amount, phone) values ($1, $2, $3) on conflict do nothing',
      [reference, amount, sender_phone_number],
    );
    if (rowCount === 1) processed.add();
  },
};

const utils = await makeWorkerUtils({ pgPool: pool, logger });
const runner = await run({
  pgPool: pool,
  taskList,
  noHandleSignals: true,
  preset: {
    extends: [WorkerPreset],
    worker: {
      concurrentJobs: concurrency,
      logger,
      // Of the batches that we tried, these gave the peer its best rate.
      localQueue: { size: 2 * concurrency, refetchDelay: { durationMs: 20 } },
      completeJobBatchDelay: 50,
      failJobBatchDelay: 50,
    },
  },
});

@Controller()
class WebhooksController {
  @Post('payments/webhooks')
  @HttpCode(200)
  async receive(
    @Req() { headers, rawBody }: RawBodyRequest<{ headers: IncomingHttpHeaders }>,
  ): Promise<void> {
    const bytes = rawBody ?? Buffer.alloc(0);
    const given = Buffer.from(String(headers['x-kopokopo-signature']), 'hex');
    const expected = createHmac('sha256', API_KEY).update(bytes).digest();
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
      throw new UnauthorizedException();
    }
    const webhook = JSON.parse(bytes.toString()) as Webhook;
    await utils.addJob('webhook', webhook);
  }
}

@Module({ controllers: [WebhooksController] })
class JobQueueModule {}

const app = await createApplication(JobQueueModule, 'fastify', { rawBody: true });
const url = await listen(app);
host(
  {
    url: () => url,
    until: (count: number) => processed.until(count),
    statements,
    cpu: () => process.cpuUsage(),
  },
  async () => {
    await app.close();
    await runner.stop();
    await utils.release();
    await pool.end();
  },
);
