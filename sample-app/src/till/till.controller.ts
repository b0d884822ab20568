import { Controller, Get, Req, Sse, type MessageEvent } from '@nestjs/common';
import type { Request } from 'express';
import {
  concatMap,
  distinctUntilKeyChanged,
  map,
  ReplaySubject,
  share,
  timer,
  type Observable,
} from 'rxjs';
import { ShopSettings } from '../shop.settings.js';
import { sectionEvent } from '../web/live.section.js';
import { LiveStreams } from '../web/live.streams.js';
import { tillPage, tillSection } from './till.page.js';
import { TillRepository, type ListedEntry } from './till.repository.js';

const MAX_SHOWN = 50;
const POLL_INTERVAL_MS = 1_000;

@Controller('till')
export class TillController {
  /** Polls the table, because another process of the shop may write to it: once for all who watch, and never when nobody does. */
  private readonly sections = timer(0, POLL_INTERVAL_MS).pipe(
    concatMap(() => this.latest()),
    map((entries) => ({ entries, json: JSON.stringify(entries) })),
    distinctUntilKeyChanged('json'),
    map(({ entries }) => sectionEvent(tillSection(entries))),
    share({ connector: () => new ReplaySubject(1) }),
  );

  constructor(
    private readonly till: TillRepository,
    private readonly settings: ShopSettings,
    private readonly streams: LiveStreams,
  ) {}

  @Get()
  async list(): Promise<string> {
    return tillPage(await this.latest(), this.settings);
  }

  @Sse('events')
  events(@Req() request: Request): Observable<MessageEvent> {
    return this.streams.limit(request, 'till', this.sections);
  }

  private latest(): Promise<ListedEntry[]> {
    return this.till.latest(MAX_SHOWN);
  }
}
