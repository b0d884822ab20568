// The merchant that the page is about.

/** The name of the merchant; empty for all. */
export const merchant =
  document.querySelector('[data-merchant]')?.getAttribute('data-merchant') ?? '';

/**
 * The path of a list of the control API, only with what the merchant has.
 * @param {string} path
 */
export function ofMerchant(path) {
  if (merchant === '') return path;
  return `${path}${path.includes('?') ? '&' : '?'}merchant=${encodeURIComponent(merchant)}`;
}
