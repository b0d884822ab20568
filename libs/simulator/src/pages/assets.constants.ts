import { Assets, FRAME_STYLE } from '@tillkit/pages';
import * as files from '../generated/assets.js';

const STYLE = [
  FRAME_STYLE,
  files.simulatorCss,
  files.controlsCss,
  files.startCss,
  files.handsetCss,
  files.promptCss,
  files.controlCss,
  files.journalCss,
  files.entryCss,
  files.faultsCss,
  files.environmentCss,
].join('\n');

/** All files that the pages load. None comes from another origin. */
export const ASSETS = new Assets({
  'simulator.css': STYLE,
  'favicon.svg': files.faviconSvg,
  'active-faults.js': files.activeFaultsJs,
  'clock.js': files.clockJs,
  'connect.js': files.connectJs,
  'control.js': files.controlJs,
  'curl.js': files.curlJs,
  'delivery.js': files.deliveryJs,
  'element.js': files.elementJs,
  'environment.js': files.environmentJs,
  'entry.js': files.entryJs,
  'fault-settings.js': files.faultSettingsJs,
  'faults.js': files.faultsJs,
  'handset.js': files.handsetJs,
  'link.js': files.linkJs,
  'journal.js': files.journalJs,
  'merchant.js': files.merchantJs,
  'minor-text.js': files.minorTextJs,
  'money.js': files.moneyJs,
  'platform.js': files.platformJs,
  'status.js': files.statusJs,
});
