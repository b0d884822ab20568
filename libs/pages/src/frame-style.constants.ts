import { baseCss, frameCss, tokensCss } from './generated/assets.js';

/** Design tokens, base elements and the frame. Put it first in the style sheet of an application. */
export const FRAME_STYLE = [tokensCss, baseCss, frameCss].join('\n');
