import { setTimeout as sleep } from 'node:timers/promises';
import { StoreUnavailableError } from '@tillkit/payments';
import type { Command } from 'commander';
import {
  ofAccount,
  type AccountOptions,
  type CommonOptions,
  type Does,
  type Invocation,
} from '../command.options.js';
import { NewsReader, type News } from '../listen/news.reader.js';
import type { Output } from '../output/output.js';
import { withAccountStore } from '../store-connection.js';
import { nameOf, withoutKey } from './deliveries.command.js';

const EVERY_MS = 500;

/** When the database is away, we try again after this time. */
const AGAIN_MS = 2_000;

export function define(command: Command, does: Does): void {
  does.reads(ofAccount(command), runListen);
}

function runListen(invocation: Invocation, options: CommonOptions & AccountOptions): Promise<void> {
  const { context, output } = invocation;
  return withAccountStore(invocation, options, async (store, account) => {
    const reader = new NewsReader(store, account);
    await reader.begin();
    const interrupt = context.interrupted();
    output.note(`Listening to account "${account}". Ctrl-C ends it.`);
    let isAway = false;
    while (!interrupt.aborted) {
      try {
        for (const news of await reader.next()) print(news, output);
        isAway = false;
      } catch (error) {
        if (!(error instanceof StoreUnavailableError)) throw error;
        if (!isAway) output.note(`${error.message}. Trying again until it answers.`);
        isAway = true;
      }
      await sleep(isAway ? AGAIN_MS : EVERY_MS, undefined, { signal: interrupt }).catch(() => null);
    }
  });
}

function print(news: News, output: Output): void {
  if (news.kind === 'event') {
    const { event, at } = news;
    output.entry({ type: 'event', ...event }, () =>
      [
        output.colors.dim(output.text(at)),
        output.colors.cyan('event   '),
        output.colors.bold(output.text(event.name)),
        output.id(event.stream),
        output.colors.dim(`via ${output.text(event.via)}`),
      ].join('  '),
    );
    return;
  }
  const { delivery, at } = news;
  const { green, yellow, red, dim } = output.colors;
  const paint = { done: green, pending: yellow, unrecognised: red }[delivery.state];
  output.entry({ type: 'delivery', ...withoutKey(delivery) }, () =>
    [
      dim(output.text(at)),
      output.colors.magenta('delivery'),
      nameOf(delivery, output),
      output.id(delivery.id),
      paint(output.text(delivery.state)),
      output.text(delivery.lastError),
    ]
      .filter((part) => part !== '')
      .join('  '),
  );
}
