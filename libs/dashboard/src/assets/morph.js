// Changes a part of a page into its newer form, and leaves every element in place that can stay: so focus, scroll position and
// selection stay too.

/** What belongs to the user: open or closed, and what the live script shows. */
const OWN = new Set(['open', 'data-live']);

/**
 * Whether a form has the focus, or a field that differs from what the page was loaded with.
 * @param {Node} node
 */
function isInUse(node) {
  if (!(node instanceof HTMLElement)) return false;
  const forms = node instanceof HTMLFormElement ? [node] : [...node.querySelectorAll('form')];
  return forms.some(
    (form) => form.contains(document.activeElement) || [...form.elements].some(isFilledIn),
  );
}

/** @param {Element} field */
function isFilledIn(field) {
  if (field instanceof HTMLSelectElement)
    return [...field.options].some((option) => option.selected !== option.defaultSelected);
  if (field instanceof HTMLTextAreaElement) return field.value !== field.defaultValue;
  if (!(field instanceof HTMLInputElement)) return false;
  return field.value !== field.defaultValue || field.checked !== field.defaultChecked;
}

/**
 * What an element is about: a row of a list is that of its first link, wherever it stands.
 * @param {Node} node
 */
function keyOf(node) {
  if (!(node instanceof Element)) return null;
  if (node.id !== '') return node.id;
  const isRow = node instanceof HTMLTableRowElement || node instanceof HTMLLIElement;
  return (isRow && node.querySelector('a[href]')?.getAttribute('href')) || null;
}

/**
 * What an element without a key must have in common with its newer form. The first class names it, the others may say its state.
 * @param {Node} node
 */
function kindOf(node) {
  const [name = ''] = node instanceof Element ? (node.getAttribute('class') ?? '').split(' ') : [];
  return `${node.nodeName} ${name}`;
}

/**
 * @param {Element} element
 * @param {Element} newer
 */
function morphAttributes(element, newer) {
  for (const name of element.getAttributeNames())
    if (!OWN.has(name) && !newer.hasAttribute(name)) element.removeAttribute(name);
  for (const { name, value } of newer.attributes)
    if (!OWN.has(name) && element.getAttribute(name) !== value) element.setAttribute(name, value);
}

/**
 * @param {ChildNode} node
 * @param {Node} newer
 */
function morphNode(node, newer) {
  if (node.isEqualNode(newer)) return;
  if (node instanceof Element && newer instanceof Element) {
    const isKept = node.hasAttribute('data-live');
    if (isKept || (node instanceof HTMLFormElement && isInUse(node))) return;
    morphAttributes(node, newer);
    morphChildren(node, newer);
  } else if (node.nodeValue !== newer.nodeValue) node.nodeValue = newer.nodeValue;
}

/**
 * Removes the children that are not wanted any more. A form in use stays.
 * @param {readonly ChildNode[]} nodes
 */
function removeAll(nodes) {
  for (const node of nodes) if (!isInUse(node)) node.remove();
}

/**
 * The children with keys, several where two rows are about the same.
 * @param {Element} element
 */
function keyedChildren(element) {
  /** @type {Map<string, ChildNode[]>} */
  const keyed = new Map();
  for (const node of element.childNodes) {
    const key = keyOf(node);
    if (key !== null) keyed.set(key, [...(keyed.get(key) ?? []), node]);
  }
  return keyed;
}

/**
 * The next child of the same kind. A text is only that of this place.
 * @param {ChildNode | null} current
 * @param {Node} newer
 */
function nextLike(current, newer) {
  const kind = kindOf(newer);
  for (let node = current; node; node = newer instanceof Element ? node.nextSibling : null)
    if (keyOf(node) === null && kindOf(node) === kind) return node;
  return null;
}

/**
 * Gives an element the children of its newer form.
 * @param {Element} element
 * @param {Element} newer from another document
 */
export function morphChildren(element, newer) {
  const wanted = [...newer.childNodes];
  const keys = new Set(wanted.map(keyOf));
  const keyed = keyedChildren(element);
  for (const [key, nodes] of keyed) if (!keys.has(key)) removeAll(nodes);
  let current = element.firstChild;
  for (const node of wanted) {
    const key = keyOf(node);
    const match = key === null ? nextLike(current, node) : (keyed.get(key)?.shift() ?? null);
    if (!match || match.nodeName !== node.nodeName) {
      element.insertBefore(document.importNode(node, true), current);
      continue;
    }
    if (key === null) removeAll(between(current, match));
    else if (match !== current) element.insertBefore(match, current);
    morphNode(match, node);
    current = match.nextSibling;
  }
  removeAll(between(current, null));
}

/**
 * The children from one up to another without a key: one with a key may be wanted later.
 * @param {ChildNode | null} start
 * @param {ChildNode | null} end
 */
function between(start, end) {
  /** @type {ChildNode[]} */
  const nodes = [];
  for (let node = start; node && node !== end; node = node.nextSibling)
    if (end === null || keyOf(node) === null) nodes.push(node);
  return nodes;
}
