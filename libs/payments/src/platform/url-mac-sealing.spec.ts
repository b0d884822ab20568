import { describe, expect, it } from '@jest/globals';
import { sealedMac, sealUrlMacs } from './callback-urls.js';

const MAC = 'mQ_4-'.padEnd(43, 'x');
const URL_OF = `https://shop.example/payments/callbacks/incoming-payments/a1/${MAC}`;

const jsonEscape = (text: string): string =>
  text.replace(/./g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
const urlEscape = (text: string): string =>
  text.replace(/./g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

describe('A body', () => {
  it.each([
    ['as it is', URL_OF],
    ['with escaped slashes', URL_OF.replaceAll('/', '\\/')],
    ['whose MAC is written as JSON escapes', URL_OF.replace(MAC, jsonEscape(MAC))],
    ['with one escaped character of the MAC', URL_OF.replace('mQ', 'm\\u0051')],
    [
      'whose path is written as JSON escapes',
      URL_OF.replace('callbacks/', jsonEscape('callbacks/')),
    ],
    ['all of JSON escapes', jsonEscape(URL_OF)],
    [
      'all of JSON escapes in upper case',
      jsonEscape(URL_OF).replace(/[a-f]/g, (c) => c.toUpperCase()),
    ],
    ['whose MAC is written as URL escapes', URL_OF.replace(MAC, urlEscape(MAC))],
    ['all of URL escapes written as JSON escapes', jsonEscape(urlEscape(URL_OF))],
    ['escaped for a URL in a URL', encodeURIComponent(urlEscape(URL_OF))],
  ])('with a URL of ours, %s, is stored without its MAC', (_, written) => {
    const sealed = sealUrlMacs(`{"a":"x","_links":{"callback_url":"${written}"},"metadata":{}}`);
    const { _links: links } = JSON.parse(sealed) as { _links: { callback_url: string } };
    let url = links.callback_url;
    for (let n = 0; n < 3; n += 1) url = decodeURIComponent(url);
    expect(url).toBe(URL_OF.replace(MAC, sealedMac(MAC)));
  });

  it('with a URL of ours keeps every other text as it is written', () => {
    const body = `{"url":"${jsonEscape(URL_OF)}","note":"100%41 \\u0041 \\\\u0041 \\" \u00e9","quote":"\\u0022"}`;
    const sealed = sealUrlMacs(body);
    expect(sealed).not.toBe(body);
    const rest = (text: string): string => text.slice(text.indexOf('"note"'));
    expect(rest(sealed)).toBe(rest(body));
  });

  it.each([
    ['is empty', ''],
    ['is only a quote', '"'],
    ['ends within an escape', '"\\'],
    ['ends within a text', '{"a":"b'],
    ['has the path of a callback without a MAC', 'callbacks/polling/a/'],
    ['is only a percent', '%'],
    ['ends within a number of an escape', '\\u00'],
    ['has many escaped quotes', `"${'\\"'.repeat(200_000)}`],
  ])('that has no MAC is not changed when it %s', (_, body) => {
    expect(sealUrlMacs(body)).toBe(body);
  });

  it('with a URL of ours is sealed also where it is no JSON', () => {
    expect(sealUrlMacs(`webhooks/${jsonEscape(MAC)}`)).toBe(`webhooks/${sealedMac(MAC)}`);
  });
});
