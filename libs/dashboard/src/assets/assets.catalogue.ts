import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Injectable } from '@nestjs/common';
import type { File } from '../web/answer.js';
import { CHARTS_SCRIPT } from './charts.script.js';
import { DASHBOARD_STYLE } from './dashboard.style.js';
import { FAVICON_IMAGE } from './favicon.image.js';

export type AssetName = 'dashboard.css' | 'chart.js' | 'charts.js' | 'favicon.svg';

/** The few files that the pages load: ours, and Chart.js as it was installed. Nothing comes from elsewhere. */
@Injectable()
export class AssetsCatalogue {
  private readonly files: ReadonlyMap<string, File>;

  constructor() {
    this.files = new Map<AssetName, File>([
      ['dashboard.css', file('text/css', DASHBOARD_STYLE)],
      ['charts.js', file('text/javascript', CHARTS_SCRIPT)],
      ['chart.js', file('text/javascript', chartLibrary())],
      ['favicon.svg', file('image/svg+xml', FAVICON_IMAGE)],
    ]);
  }

  find(name: string): File | undefined {
    return this.files.get(name);
  }
}

function file(type: string, text: string): File {
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 20);
  return { kind: 'file', type, text, etag: `"${hash}"` };
}

/** The build for browsers lies beside the one that is resolved; its map is not served. */
function chartLibrary(): string {
  const entry = createRequire(import.meta.url).resolve('chart.js');
  const text = readFileSync(join(dirname(entry), 'chart.umd.min.js'), 'utf8');
  return text.replace(/^\/\/# sourceMappingURL=.*$/m, '');
}
