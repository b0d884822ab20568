import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';

export interface Asset {
  readonly type: string;
  readonly content: Buffer;
  /** Changes with the content, so that browsers may keep it for ever. */
  readonly version: string;
}

const TYPES = {
  'shop.css': 'text/css; charset=utf-8',
  'shop.js': 'text/javascript; charset=utf-8',
  'favicon.svg': 'image/svg+xml',
} as const;

export type AssetName = keyof typeof TYPES;

/** The few files that the pages load, read once. They lie beside this code, in the source as in what is built. */
@Injectable()
export class AssetsCatalogue {
  private readonly assets = new Map<string, Asset>();

  constructor() {
    const folder = join(import.meta.dirname, '..', 'public');
    for (const [name, type] of Object.entries(TYPES)) {
      const content = readFileSync(join(folder, name));
      const version = createHash('sha256').update(content).digest('hex').slice(0, 12);
      this.assets.set(name, { type, content, version });
    }
  }

  find(name: string): Asset | undefined {
    return this.assets.get(name);
  }

  url(name: AssetName): string {
    return `/assets/${name}?v=${this.assets.get(name)?.version}`;
  }
}
