import { Controller, Get, Req, Sse, type MessageEvent } from '@nestjs/common';
import type { Request } from 'express';
import type { Observable } from 'rxjs';
import { TillSwitch } from '../practice/till-switch.js';
import { ShopSettings } from '../shop.settings.js';
import { LiveStreams } from '../web/live-streams.js';
import { polledSection } from '../web/polled-section.js';
import { tillPage, tillSection } from './till.page.js';
import { TillRepository, type ListedEntry } from './till-repository.js';

const MAX_SHOWN = 50;

@Controller('till')
export class TillController {
  private readonly sections = polledSection(() => this.latest(), tillSection);

  constructor(
    private readonly till: TillRepository,
    private readonly settings: ShopSettings,
    private readonly streams: LiveStreams,
    private readonly practice: TillSwitch,
  ) {}

  @Get()
  async list(): Promise<string> {
    return tillPage(await this.latest(), this.settings, this.practice.isBroken);
  }

  @Sse('events')
  events(@Req() request: Request): Observable<MessageEvent> {
    return this.streams.limit(request, 'till', this.sections);
  }

  private latest(): Promise<ListedEntry[]> {
    return this.till.latest(MAX_SHOWN);
  }
}
