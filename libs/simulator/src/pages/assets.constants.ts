import { Assets, FRAME_STYLE } from '@tillkit/pages';
import * as files from '../generated/assets.js';

/** All files that the pages load. None comes from another origin. */
export const ASSETS = new Assets({
  'simulator.css': `${FRAME_STYLE}\n${files.simulatorCss}`,
  'favicon.svg': files.faviconSvg,
  'clock.js': files.clockJs,
  'control.js': files.controlJs,
  'delivery.js': files.deliveryJs,
  'element.js': files.elementJs,
  'entry.js': files.entryJs,
  'environment.js': files.environmentJs,
  'faults.js': files.faultsJs,
  'handset.js': files.handsetJs,
  'journal.js': files.journalJs,
  'link.js': files.linkJs,
  'platform.js': files.platformJs,
  'status.js': files.statusJs,
});
