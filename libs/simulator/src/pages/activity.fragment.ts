import { html, type Html } from '@tillkit/pages';
import type { JournalEntry, NoteEntry } from '../journal/journal-entry.js';
import type { SimulatedPlatform } from '../simulated-platform.model.js';
import { deliverySection } from './delivery.fragment.js';
import { button, field, optionsOf, panel, time, visible } from './elements.fragment.js';
import type { PageQuery } from './page-query.dto.js';

const ADVANCES = { '+1 min': 60_000, '+1 h': 3_600_000, '+1 day': 86_400_000 };

const KINDS = { request: '→ request', attempt: '← delivery', note: 'event' };

/** The list has this many rows. A browser also keeps the rows that a reader has opened. */
const MOST_ROWS = 250;

/** A row shows this many characters. The details have all of them. */
const LINE_LENGTH = 300;

const NOTHING = html`Nothing has happened yet. <a href="#connect">Connect your application</a>, then
  request a payment.`;

/** Returns the clock, and the journal of requests and deliveries, newest first. */
export function activitySection(simulator: SimulatedPlatform, query: PageQuery): Html {
  const { merchant, search, shown } = query;
  const entries = simulator.journal.entries(0, merchant?.name);
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const found = entries.filter((entry) => isShown(entry, shown) && hasWords(entry, words));
  const count = entries.length > 0 ? `${found.length} of ${entries.length} entries` : NOTHING;
  const isOfSeveral = !merchant && simulator.merchants.list().length > 1;
  const now = new Date(simulator.clock.now()).toISOString();
  return panel(
    'activity',
    html`Activity${merchant && ` of ${merchant.name}`}`,
    html`<form class="row" aria-label="The clock of the platform">
        <time
          class="mono"
          id="clock"
          datetime="${now}"
          data-newest="${simulator.journal.entries().at(-1)?.sequence ?? 0}"
          >${now}</time
        >
        ${Object.entries(ADVANCES).map(([name, ms]) =>
          button(name, {
            call: 'POST /clock/advance',
            body: { ms },
            says: `The clock moved by ${name.slice(1)}. The simulator has run everything that was due.`,
          }),
        )}
      </form>
      <div class="fields" role="search" aria-label="Filter the activity">
        ${field({
          id: 'search',
          label: 'Search',
          attributes: html`name="search" type="search" placeholder="phone, payment, path …"
          autocomplete="off" data-query`,
        })}
        ${field({
          id: 'filter',
          label: 'Show',
          attributes: html`name="shown" autocomplete="off" data-query`,
          options: optionsOf({
            '': 'Everything',
            request: 'Requests',
            attempt: 'Deliveries',
            note: 'Other events',
            problem: 'Problems only',
          }),
        })}
      </div>
      <p class="soft small" id="entries-count" data-live>${count}</p>
      <ol class="entries" id="entries" aria-labelledby="activity-title" data-live>
        ${found
          .slice(-MOST_ROWS)
          .map((entry) => row(entry, isOfSeveral))
          .toReversed()}
      </ol>`,
  );
}

function isShown(entry: JournalEntry, shown: string): boolean {
  if (shown !== 'problem') return shown === '' || shown === entry.type;
  if (entry.type === 'note') return /lost|given up|dropped|delayed|error/.test(entry.title);
  return !isGood(statusOf(entry)) || entry.faults.length > 0;
}

function hasWords(entry: JournalEntry, words: readonly string[]): boolean {
  if (words.length === 0) return true;
  const text = JSON.stringify(entry).toLowerCase();
  return words.every((word) => text.includes(word));
}

/** Null when there was no answer. */
function statusOf(entry: Exclude<JournalEntry, NoteEntry>): number | null {
  return entry.type === 'request' ? (entry.answer?.status ?? null) : entry.status;
}

function isGood(status: number | null): boolean {
  return status !== null && status >= 200 && status < 300;
}

/** Returns one entry. A browser loads its details when a reader opens it. */
function row(entry: JournalEntry, isOfSeveral: boolean): Html {
  const { sequence, type, at, merchant } = entry;
  return html`<li id="entry-${sequence}">
    <details data-src="/entries/${sequence}">
      <summary>
        ${time(at)} <span class="soft">${KINDS[type]}</span>
        <span class="entry__what">${visible(summaryOf(entry).slice(0, LINE_LENGTH))}</span>
        ${isOfSeveral && merchant !== null && html`<span class="mark">${merchant}</span>`}
        ${entry.type !== 'note' && marks(entry)}
      </summary>
    </details>
  </li>`;
}

function summaryOf(entry: JournalEntry): string {
  switch (entry.type) {
    case 'request':
      return `${entry.method} ${entry.url.replace(/^[a-z]+:\/\/[^/]*/, '') || '/'}`;
    case 'attempt': {
      const attempts = entry.attempt > 1 ? `, attempt ${entry.attempt}` : '';
      return `${entry.kind} ${entry.topic}${attempts} to ${entry.url}`;
    }
    case 'note':
      return [entry.title, entry.phone, entry.detail].filter(Boolean).join(' · ');
  }
}

function marks(entry: Exclude<JournalEntry, NoteEntry>): Html {
  const status = statusOf(entry);
  const error = entry.type === 'attempt' ? entry.error : null;
  return html`${entry.faults.map((fault) => html`<span class="mark mark--fault">${fault}</span> `)}
    <span class="mark ${!isGood(status) && 'mark--bad'}"
      >${status ?? visible(error || 'no answer')}</span
    >`;
}

/** Returns the details of an entry that a reader opens: the messages as they were sent, and the actions on a delivery. */
export function entryDetails(simulator: SimulatedPlatform, entry: JournalEntry): Html {
  if (entry.type === 'note')
    return html`<p class="entry__what">${visible(summaryOf(entry))}</p>
      ${entry.deliveryId && deliverySection(simulator, entry.deliveryId)}`;
  const { url, durationMs } = entry;
  const title = html`<code
    >${entry.type === 'request' ? entry.method : 'POST'} ${visible(url)}</code
  >`;
  const answer = entry.type === 'request' ? entry.answer : undefined;
  return html`<p class="entry__what">${title} in ${durationMs} ms</p>
    ${entry.type === 'attempt' && deliverySection(simulator, entry.deliveryId)}
    ${message('Request', entry)} ${answer && message(`Answer ${answer.status}`, answer)}
    ${answer === null && html`<p class="soft">The platform never answered.</p>`}`;
}

function message(
  title: string,
  { headers, body }: { headers: Readonly<Record<string, string>>; body: string },
): Html {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const wire = (part: string, text: string): Html =>
    html`<pre class="wire" tabindex="0" aria-label="${title}, ${part}">${visible(text)}</pre>`;
  return html`<h3>${title}</h3>
    ${wire('headers', lines.join('\n'))} ${body !== '' && wire('body', pretty(body))}`;
}

/** JSON on one line is indented; anything else stays as it is. */
function pretty(body: string): string {
  try {
    return body.includes('\n') ? body : JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
