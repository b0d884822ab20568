import { isDeepStrictEqual } from 'node:util';
import { CloudEvent, type CloudEventV1 } from 'cloudevents';
import { isOutcomeKnown, type Asked, type WrittenEvent } from './bus.stage.js';

type Received = CloudEventV1<Record<string, unknown>>;

/** Keeps the events that an independent receiver got from the bus, in the order of arrival. */
export class ReceivedEvents {
  private readonly all: Received[] = [];
  private readonly first = new Map<string, Received>();
  readonly problems: string[] = [];

  get size(): number {
    return this.first.size;
  }

  get duplicates(): number {
    return this.all.length - this.first.size;
  }

  has(id: string): boolean {
    return this.first.has(id);
  }

  /** @param message what the bus delivers: the envelope of `@nestjs/microservices` */
  receive(message: string): void {
    const { pattern, data } = JSON.parse(message) as { pattern: string; data: Received };
    try {
      // The library of the CloudEvents project checks it against the specification.
      const event = new CloudEvent(data, true);
      if (event.type !== `com.tillkit.${pattern}`)
        this.problems.push(`pattern ${pattern} of an event ${event.type}`);
    } catch (error) {
      this.problems.push(`no CloudEvent: ${String(error)}`);
    }
    const before = this.first.get(data.id);
    if (before && !isDeepStrictEqual(before, data))
      this.problems.push(`two different events have the id ${data.id}`);
    if (!before) this.first.set(data.id, data);
    this.all.push(data);
  }

  lost(written: readonly WrittenEvent[]): WrittenEvent[] {
    return written.filter(({ id }) => !this.first.has(id));
  }

  /** Returns payments whose outcome the receiver did not get. It does not ask our database which events there should be. */
  unknownOutcomes(asked: readonly Asked[]): string[] {
    const known = new Set(
      [...this.first.values()].map(({ subject, type }) => `${subject} ${type}`),
    );
    return asked
      .filter(
        (payment) =>
          !isOutcomeKnown(payment, (name) => known.has(`${payment.id} com.tillkit.${name}`)),
      )
      .map(({ id }) => id);
  }

  /** Returns the streams of which an event first arrived before an earlier one. */
  outOfOrder(written: readonly WrittenEvent[]): { streams: number; wrong: string[] } {
    const arrivals = [...this.first.keys()];
    const streams = new Map<string, WrittenEvent[]>();
    for (const event of written)
      streams.set(event.stream, [...(streams.get(event.stream) ?? []), event]);
    const several = [...streams].filter(([, events]) => events.length > 1);
    const wrong = several
      .filter(([, events]) => {
        const places = events.map(({ id }) => arrivals.indexOf(id)).filter((place) => place >= 0);
        return places.some((place, at) => at > 0 && place < (places[at - 1] as number));
      })
      .map(([stream]) => stream);
    return { streams: several.length, wrong };
  }
}
