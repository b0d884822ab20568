/** What the browser loads as `news.js`: text, so that it is there from the source, the build and the package alike. */
export const NEWS_SCRIPT = String.raw`const news = document.getElementById('news');

/** Says what came of something, to eyes and to screen readers. */
export function tell(text, isBad = false) {
  news.textContent = text;
  news.classList.toggle('news--bad', isBad);
}

/** Does something, and tells how it ended. */
export async function attempt(act, words) {
  try {
    const result = await act();
    tell(typeof words === 'function' ? words(result) : words);
    return result;
  } catch (error) {
    tell(error.message, true);
    return undefined;
  }
}
`;
