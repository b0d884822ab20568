/** `/api/<version>/<collection>/<id>/...`: the id is at this place. */
const PLACE_OF_ID = 4;

/** The path of a request with `{id}` for its id: few different texts, and no identifier. */
export function urlTemplateOf(path: string): string {
  if (!path.startsWith('/api/')) return path;
  const segments = path.split('/');
  if (segments.length > PLACE_OF_ID) segments[PLACE_OF_ID] = '{id}';
  return segments.join('/');
}
