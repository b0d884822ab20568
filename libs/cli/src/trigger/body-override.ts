import { UsageError } from '../command.errors.js';

type Wire = Record<string, unknown>;

/** `path=text` or `path:=JSON`. */
const OVERRIDE = /^(?<path>[A-Za-z0-9_.-]+?)(?<json>:)?=(?<value>[^]*)$/;

/**
 * Sets a field of a body: `amount=250.0`, `event.type=Other`, `sender_middle_name:=null`. A field that the body itself does not have is set
 * in the resource in it.
 */
export function override(body: Wire, text: string): void {
  const { path = '', json, value = '' } = OVERRIDE.exec(text)?.groups ?? {};
  if (path === '')
    throw new UsageError(
      `--set ${text} is not understood: write field=text, such as amount=250.0, or field:=JSON, such as sender_middle_name:=null.`,
    );
  const [first = '', ...more] = path.split('.');
  const subject = Object.hasOwn(body, first) ? body : subjectOf(body);
  const names = [first, ...more];
  const name = names.pop() as string;
  const parent = names.reduce<unknown>((at, step) => stepInto(at, step, text), subject);
  if (!isObject(parent) || isUnsafe(name)) throw noSuchField(text);
  parent[name] = json ? parsed(value, text) : value;
}

/** Finds the object in the body whose fields people mean. */
function subjectOf(body: Wire): unknown {
  const { event, data } = body as { event?: Wire; data?: Wire };
  return event?.['resource'] ?? data?.['attributes'] ?? body;
}

function stepInto(at: unknown, step: string, text: string): unknown {
  if (!isObject(at) || isUnsafe(step) || !Object.hasOwn(at, step)) throw noSuchField(text);
  return at[step];
}

function parsed(value: string, text: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    throw new UsageError(`--set ${text} has no valid JSON after ":=": for a text write "=".`);
  }
}

function noSuchField(text: string): UsageError {
  return new UsageError(
    `--set ${text} names a field inside of something that the body does not have: print the body with --print.`,
  );
}

function isObject(value: unknown): value is Wire {
  return typeof value === 'object' && value !== null;
}

function isUnsafe(name: string): boolean {
  return name === '__proto__';
}
