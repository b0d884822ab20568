import { Assets, FRAME_STYLE } from '@tillkit/pages';
import * as files from '../generated/assets.js';

/** All files that the pages load. None comes from another origin. */
export const ASSETS = new Assets({
  'simulator.css': `${FRAME_STYLE}\n${files.simulatorCss}`,
  'favicon.svg': files.faviconSvg,
  'page.js': files.pageJs,
});
