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

/** All files that the pages load: our own, and Chart.js and Idiomorph. None comes from another origin. */
@Injectable()
export class AssetsService extends Assets {
  constructor() {
    super({
      'dashboard.css': STYLE,
      'desk.js': files.deskJs,
      'copy.js': files.copyJs,
      'live.js': files.liveJs,
      // `live.js` imports it as a module.
      'idiomorph.js': `${files.idiomorphJs}\nexport { Idiomorph };\n`,
      'charts.js': files.chartsJs,
      // We do not serve its source map.
      'chart.js': files.chartJs.replace(/^\/\/# sourceMappingURL=.*$/m, ''),
      'favicon.svg': files.faviconSvg,
    });
  }
}
