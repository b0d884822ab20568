import { Inject, Injectable } from '@nestjs/common';
import { DASHBOARD_OPTIONS, ZONE } from '../dashboard.constants.js';
import { DashboardConfigurationError } from '../dashboard.errors.js';
import type { PaymentsDashboardOptions } from '../dashboard.options.js';
import { TimeFormat } from '../html/time.format.js';
import type { HttpRequest } from './http-request.dto.js';

/** The cookie in which a browser sends its time zone. `assets/desk.js` sets it. */
const COOKIE = /(?:^|;\s*)tillkit-time-zone=([\w%+/-]{1,60})/;

/** We use this zone until a browser has sent its time zone. */
const UNSENT = 'UTC';

/** We keep this many time zones of viewers. There are about 600. */
const MOST_KEPT = 1_000;

/** The times of a page. */
export interface ShownTimes {
  times: TimeFormat;
  /** The time zone that the browser has sent; null when the options have one for everybody. */
  ownZone: string | null;
}

/** The time zone of each request: the one of the options, else the one of its address, else the one of its browser. */
@Injectable()
export class TimeZones {
  private readonly fixed: TimeFormat | null;
  private readonly ofZone = new Map<string, TimeFormat>();

  /** @throws DashboardConfigurationError for an unknown time zone */
  constructor(@Inject(DASHBOARD_OPTIONS) options: PaymentsDashboardOptions) {
    const { timeZone = 'viewer' } = options;
    this.fixed = timeZone === 'viewer' ? null : this.timesOf(timeZone);
  }

  timesFor({ headers, url, originalUrl }: HttpRequest): ShownTimes {
    if (this.fixed) return { times: this.fixed, ownZone: null };
    const [, sent = UNSENT] = COOKIE.exec(headers.cookie ?? '') ?? [];
    const own = this.sent(decoded(sent)) ?? this.timesOf(UNSENT);
    const [, query = ''] = (originalUrl ?? url).split('?');
    const given = new URLSearchParams(query).get(ZONE);
    const times = given === null ? null : this.sent(given);
    return { times: times ?? own, ownZone: own.zone };
  }

  /** Null when this process does not know the time zone. */
  private sent(zone: string): TimeFormat | null {
    try {
      return this.timesOf(zone);
    } catch {
      return null;
    }
  }

  /** @throws DashboardConfigurationError for an unknown time zone */
  private timesOf(zone: string): TimeFormat {
    const existing = this.ofZone.get(zone);
    if (existing) return existing;
    try {
      const times = new TimeFormat(zone);
      if (this.ofZone.size < MOST_KEPT) this.ofZone.set(zone, times);
      return times;
    } catch {
      throw new DashboardConfigurationError([
        `there is no time zone "${zone}": write timeZone: 'Africa/Nairobi', or another name of the IANA list, or 'viewer'`,
      ]);
    }
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return UNSENT;
  }
}
