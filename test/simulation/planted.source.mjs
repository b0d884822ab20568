/** The fault that the simulation plants into this process, as JSON; unset in every other process. */
const fault = process.env.SIMULATION_PLANT ? JSON.parse(process.env.SIMULATION_PLANT) : null;

/**
 * The text of a source file, with the planted fault in it if it is this file. The text to be changed must be there exactly
 * once, so that a fault cannot silently be planted nowhere.
 */
export function planted(url, text) {
  if (!fault || !url.endsWith(`/${fault.file}`)) return text;
  const count = text.split(fault.find).length - 1;
  if (count !== 1) throw new Error(`the text to be replaced is in ${fault.file} ${count} times`);
  return text.replace(fault.find, () => fault.replace);
}
