/** What the browser loads as `favicon.svg`: text, so that it is there from the source, the build and the package alike. */
export const FAVICON_IMAGE = String.raw`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect x="7" y="1" width="18" height="30" rx="5" fill="#0a7a4b"/><rect x="10" y="5" width="12" height="12" rx="2" fill="#fff8dd"/><path fill="#ffc629" d="M10 20h3v3h-3zm4.500 0h3v3h-3zm4.500 0h3v3h-3zm-9 4.500h3v3h-3zm4.500 0h3v3h-3zm4.500 0h3v3h-3z"/></svg>
`;
