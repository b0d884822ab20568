export { Assets, type AssetResponse } from './page-assets.service.js';
export { renderPage, type FramedPage, type MenuEntry } from './frame.page.js';
export { FRAME_STYLE } from './frame-style.constants.js';
export { html, Html, type HtmlContent } from './html-tag.js';
export { formatMoney } from './money.format.js';
export { PAGE_HEADERS } from './page-headers.constants.js';
