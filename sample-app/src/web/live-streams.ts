import { HttpException, HttpStatus, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { finalize, fromEvent, takeUntil, type Observable } from 'rxjs';

/** The most open streams: of one page, of one address, and of all. A browser opens one for each open page. */
const MOST_OF_PAGE = 8;
const MOST_OF_ADDRESS = 40;
const MOST = 500;

/**
 * Limits the event streams, because each holds a connection, and a change of one order renders its page for each of them. A page that
 * gets no stream reloads itself: see `public/shop.js`.
 */
@Injectable()
export class LiveStreams {
  private readonly open = new Map<string, number>();
  private count = 0;

  /**
   * Counts a stream until it ends or its client leaves.
   * @throws HttpException 429 when the page or the address has too many streams, 503 when the shop has
   */
  limit<Event>(request: Request, page: string, stream: Observable<Event>): Observable<Event> {
    const keys = [`page ${page}`, `address ${request.ip}`];
    const [ofPage = 0, ofAddress = 0] = keys.map((key) => this.open.get(key) ?? 0);
    if (ofPage >= MOST_OF_PAGE || ofAddress >= MOST_OF_ADDRESS) {
      throw new HttpException('too many streams', HttpStatus.TOO_MANY_REQUESTS);
    }
    if (this.count >= MOST) {
      throw new HttpException('too many streams', HttpStatus.SERVICE_UNAVAILABLE);
    }
    this.add(keys, 1);
    let isOpen = true;
    const leave = (): void => {
      if (isOpen) this.add(keys, -1);
      isOpen = false;
      request.socket.off('close', leave);
    };
    // The client may leave before Nest subscribes, or stay connected after the stream has ended.
    request.socket.once('close', leave);
    if (request.socket.destroyed) leave();
    return stream.pipe(takeUntil(fromEvent(request.socket, 'close')), finalize(leave));
  }

  private add(keys: readonly string[], change: 1 | -1): void {
    this.count += change;
    for (const key of keys) {
      const count = (this.open.get(key) ?? 0) + change;
      if (count > 0) this.open.set(key, count);
      else this.open.delete(key);
    }
  }
}
