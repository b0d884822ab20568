/** The fault that is planted into this process, as JSON; unset in every other process. */
const fault = process.env.PLANTED_FAULT ? JSON.parse(process.env.PLANTED_FAULT) : null;

/**
 * Returns the text of a source file, with the planted fault if it belongs to this file. The text to replace must be in the
 * file exactly once, so that a fault that no longer fits is an error.
 */
export function planted(url, text) {
  if (!fault || !url.split('?')[0].endsWith(`/${fault.file}`)) return text;
  const count = text.split(fault.find).length - 1;
  if (count !== 1)
    throw new Error(
      `the text to replace is ${count} times in ${fault.file}, and must be there once`,
    );
  return text.replace(fault.find, () => fault.replace);
}
