import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { resolveFromHere } from '#here';
import { Injectable } from '@nestjs/common';
import { Assets, FRAME_STYLE } from '@tillkit/pages';
import * as files from '../generated/assets.js';

const STYLE = [
  FRAME_STYLE,
  files.dashboardCss,
  files.controlsCss,
  files.statesCss,
  files.listsCss,
  files.detailsCss,
  files.timelineCss,
  files.overviewCss,
  files.liveCss,
].join('\n');

/** All files that the pages load: our own, and Chart.js and Idiomorph from the host's `node_modules`. None comes from another origin. */
@Injectable()
export class AssetsService extends Assets {
  constructor() {
    super({
      'dashboard.css': STYLE,
      'desk.js': files.deskJs,
      'copy.js': files.copyJs,
      'live.js': files.liveJs,
      'idiomorph.js': morphLibrary(),
      'charts.js': files.chartsJs,
      'chart.js': chartLibrary(),
      'favicon.svg': files.faviconSvg,
    });
  }
}

/** Returns the browser build of Chart.js. Its `exports` do not list that file, and we do not serve its source map. */
function chartLibrary(): string {
  const entry = resolveFromHere('chart.js');
  const text = readFileSync(join(dirname(entry), 'chart.umd.min.js'), 'utf8');
  return text.replace(/^\/\/# sourceMappingURL=.*$/m, '');
}

/** Returns the small build of Idiomorph, as the module that `live.js` imports. */
function morphLibrary(): string {
  const path = resolveFromHere('idiomorph/dist/idiomorph.min.js');
  return `${readFileSync(path, 'utf8')}\nexport { Idiomorph };\n`;
}
