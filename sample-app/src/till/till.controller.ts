import { Controller, Get, Sse, type MessageEvent } from '@nestjs/common';
import { concatMap, map, merge, of, type Observable } from 'rxjs';
import { ShopFeed } from '../shop.feed.js';
import { HtmlPage } from '../web/html-page.decorator.js';
import { liveSection } from '../web/live-section.stream.js';
import { TillPage } from './till.page.js';
import { TillRepository, type ThankedEntry } from './till.repository.js';

const SHOWN = 50;

@Controller('till')
export class TillController {
  constructor(
    private readonly till: TillRepository,
    private readonly page: TillPage,
    private readonly feed: ShopFeed,
  ) {}

  @Get()
  @HtmlPage()
  async list(): Promise<string> {
    return this.page.render(await this.latest());
  }

  @Sse('events')
  events(): Observable<MessageEvent> {
    const sections$ = merge(of(null), this.feed.changesOfTill()).pipe(
      concatMap(() => this.latest()),
      map((entries) => this.page.section(entries)),
    );
    return liveSection(sections$, this.feed.closing$);
  }

  private latest(): Promise<ThankedEntry[]> {
    return this.till.latest(SHOWN);
  }
}
