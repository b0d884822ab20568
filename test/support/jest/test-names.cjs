/** A reader of a log reads a name of this length to its end. */
const MOST_CHARACTERS = 220;

/** The names of all tests in a block, as reports show them. */
function namesIn({ children }, before = []) {
  return children.flatMap((child) => {
    const titles = [...before, child.name];
    return child.type === 'test' ? [titles.join(' ')] : namesIn(child, titles);
  });
}

module.exports = {
  /** @throws Error with each name in a file of tests that makes no sense alone in a log */
  checkTestNames(rootDescribeBlock) {
    const seen = new Set();
    const problems = [];
    for (const name of namesIn(rootDescribeBlock)) {
      const shown = JSON.stringify(name.slice(0, MOST_CHARACTERS));
      if (name.length > MOST_CHARACTERS)
        problems.push(`has more than ${MOST_CHARACTERS} characters: ${shown}`);
      if (/[\r\n]/.test(name)) problems.push(`has a line break: ${shown}`);
      if (seen.has(name)) problems.push(`is there more than once: ${shown}`);
      seen.add(name);
    }
    if (problems.length > 0)
      throw new Error(
        `A name of a test must make sense alone in a log. One of this file\n- ${problems.join('\n- ')}`,
      );
  },
};
