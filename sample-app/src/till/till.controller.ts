import { Controller, Get, Sse, type MessageEvent } from '@nestjs/common';
import { concatMap, distinctUntilKeyChanged, map, timer, type Observable } from 'rxjs';
import { ShopSettings } from '../shop.settings.js';
import { sectionEvent } from '../web/live.section.js';
import { tillPage, tillSection } from './till.page.js';
import { TillRepository, type ListedEntry } from './till.repository.js';

const MAX_SHOWN = 50;
const POLL_INTERVAL_MS = 1_000;

@Controller('till')
export class TillController {
  constructor(
    private readonly till: TillRepository,
    private readonly settings: ShopSettings,
  ) {}

  @Get()
  async list(): Promise<string> {
    return tillPage(await this.latest(), this.settings);
  }

  /** Polls the table, because another process of the shop may write to it. */
  @Sse('events')
  events(): Observable<MessageEvent> {
    return timer(0, POLL_INTERVAL_MS).pipe(
      concatMap(() => this.latest()),
      map((entries) => ({ entries, json: JSON.stringify(entries) })),
      distinctUntilKeyChanged('json'),
      map(({ entries }) => sectionEvent(tillSection(entries))),
    );
  }

  private latest(): Promise<ListedEntry[]> {
    return this.till.latest(MAX_SHOWN);
  }
}
