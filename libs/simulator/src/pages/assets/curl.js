// Writes a request of the journal as a curl command. Secrets stay masked: insert the real ones before you run it.

/** @typedef {{ method: string, url: string, headers: Readonly<Record<string, string>>, body: string }} Request */

// Headers that curl sets itself, or that are wrong in a new request.
const OMITTED = /^(?:host|connection|content-length|transfer-encoding|accept-encoding|keep-alive)$/;

/** @param {Request} request */
export function curlOf({ method, url, headers, body }) {
  const lines = [`curl -X ${method} ${quote(url)}`];
  for (const [name, value] of Object.entries(headers)) {
    if (!OMITTED.test(name)) lines.push(`-H ${quote(`${name}: ${value}`)}`);
  }
  // Not --data: curl would read a body that begins with @ as a file name.
  if (body) lines.push(`--data-raw ${quote(body)}`);
  return warning(headers, body) + lines.join(' \\\n  ');
}

/**
 * @param {Request['headers']} headers
 * @param {string} body
 */
function warning(headers, body) {
  if (headers['content-encoding'])
    return '# the body was compressed: this text is not the original bytes\n';
  return / \(\d+ in all\)$/.test(body)
    ? '# the journal keeps only the beginning of this body\n'
    : '';
}

// oxlint-disable-next-line no-control-regex -- control characters are what it finds
const CONTROLS = /[\u0000-\u001f\u007f-\u009f]/;

/**
 * Quotes text as one shell word. Control characters are escaped, so that pasting the command is safe.
 * @param {string} text
 */
function quote(text) {
  if (!CONTROLS.test(text)) return `'${text.replaceAll("'", "'\\''")}'`;
  const escaped = text
    .replace(/[\\']/g, '\\$&')
    .replaceAll('\n', '\\n')
    .replace(
      new RegExp(CONTROLS, 'g'),
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
  return `$'${escaped}'`;
}
