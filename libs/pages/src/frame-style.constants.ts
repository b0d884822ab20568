import { baseCss, frameCss, tokensCss } from './generated/assets.js';

/** Design tokens, base elements and the frame: each application's style sheet begins with it. */
export const FRAME_STYLE = [tokensCss, baseCss, frameCss].join('\n');
