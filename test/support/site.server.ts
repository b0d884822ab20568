import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { extname, join, normalize } from 'node:path';
import type { AddressInfo } from 'node:net';

const TYPES: Record<string, string> = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
};

/** A plain static server, like that of any host of pages. It serves files below a base path, and `404.html` for every other path. */
export class SiteServer {
  private constructor(
    private readonly server: Server,
    /** The URL with the base path, without a slash at its end. */
    readonly url: string,
  ) {}

  static async start(folder: string, base: string): Promise<SiteServer> {
    const server = createServer((request, response) => {
      void read(folder, base, request.url ?? '').then(({ status, type, body }) =>
        response.writeHead(status, { 'content-type': type }).end(body),
      );
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    return new SiteServer(server, `http://127.0.0.1:${port}${base.replace(/\/$/, '')}`);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

async function read(
  folder: string,
  base: string,
  url: string,
): Promise<{ status: number; type: string; body: Buffer }> {
  const path = decodeURI(url.split('?')[0] ?? '');
  const file = normalize(path.slice(base.length)).replace(/(^|\/)\.?$/, '$1index.html');
  try {
    if (!path.startsWith(base)) throw new Error('outside the base path');
    const body = await readFile(join(folder, file));
    return { status: 200, type: TYPES[extname(file)] ?? 'application/octet-stream', body };
  } catch {
    return {
      status: 404,
      type: 'text/html; charset=utf-8',
      body: await readFile(join(folder, '404.html')),
    };
  }
}
