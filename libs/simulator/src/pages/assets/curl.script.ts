/** What the browser loads as `curl.js`: text, so that it is there from the source, the build and the package alike. */
export const CURL_SCRIPT = String.raw`// A request of the journal as a command. Its secrets stay masked: who runs it puts his own in.

// What curl says by itself, or what would no longer be true.
const LEFT_OUT =
  /^(?:host|connection|content-length|transfer-encoding|accept-encoding|keep-alive)$/;

export function curlOf({ method, url, headers, body }) {
  const lines = ['curl -X ' + method + ' ' + quote(url)];
  for (const [name, value] of Object.entries(headers)) {
    if (!LEFT_OUT.test(name)) lines.push('-H ' + quote(name + ': ' + value));
  }
  // Not --data: a body that begins with @ would name a file of this machine.
  if (body) lines.push('--data-raw ' + quote(body));
  return warning(headers, body) + lines.join(' \\\n  ');
}

function warning(headers, body) {
  if (headers['content-encoding']) return '# the body was compressed: these are not its bytes\n';
  return / \(\d+ in all\)$/.test(body)
    ? '# the journal keeps only the beginning of this body\n'
    : '';
}

/** Text as one word of a shell, with control characters written out, so that pasting it does nothing else. */
function quote(text) {
  if (!/[\u0000-\u001f\u007f-\u009f]/.test(text)) return "'" + text.replaceAll("'", "'\\''") + "'";
  const written = text
    .replace(/[\\']/g, '\\$&')
    .replaceAll('\n', '\\n')
    .replace(
      /[\u0000-\u001f\u007f-\u009f]/g,
      (character) => '\\u' + character.charCodeAt(0).toString(16).padStart(4, '0'),
    );
  return "$'" + written + "'";
}
`;
