import { describe, expect, it } from '@jest/globals';
import { Assets } from './page-assets.service.js';

describe('The assets of pages', () => {
  const assets = new Assets({ 'a.css': 'a {}', 'b.js': 'b();', 'c.svg': '<svg/>' });
  const etag = assets.respond('a.css', undefined)!.headers['ETag']!;

  it('have the content type of their file name, security headers and an ETag', () => {
    expect(assets.respond('b.js', undefined)).toEqual({
      status: 200,
      headers: expect.objectContaining({
        'Content-Type': 'text/javascript; charset=utf-8',
        'X-Content-Type-Options': 'nosniff',
        'Cache-Control': 'private, no-cache',
        ETag: expect.stringMatching(/^"[\da-f]{20}"$/),
      }),
      body: 'b();',
    });
  });

  it.each([
    ['is missing', undefined],
    ['is empty', ''],
    ['has an old ETag', '"old"'],
    ['has only old ETags', 'W/"old", "older"'],
  ])('are sent again to a browser whose If-None-Match %s', (_, ifNoneMatch) => {
    expect(assets.respond('a.css', ifNoneMatch)).toMatchObject({ status: 200, body: 'a {}' });
  });

  it('are answered with 304 and no body when If-None-Match has the current ETag', () => {
    for (const ifNoneMatch of [etag, `"old", ${etag}`]) {
      expect(assets.respond('a.css', ifNoneMatch)).toMatchObject({ status: 304, body: '' });
    }
  });

  it.each(['none.css', '__proto__', 'constructor'])('do not include a file named %s', (name) => {
    expect(assets.respond(name, undefined)).toBeUndefined();
  });

  it('refuse a file whose type is unknown', () => {
    expect(() => new Assets({ 'a.png': '' })).toThrow(
      'a.png has no known type: its name must end in .css, .js, .svg',
    );
  });
});
