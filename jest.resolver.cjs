const sources = process.env.TEST_TARGET !== 'dist';

// Resolves our packages to their sources, and the `.js` of an ESM import to the `.ts` beside it.
module.exports = (request, options) => {
  if (sources && request.startsWith('@tillkit/')) {
    return options.defaultResolver(request, {
      ...options,
      conditions: ['@tillkit/source', ...(options.conditions ?? [])],
    });
  }
  if (
    /^\.{1,2}\//.test(request) &&
    request.endsWith('.js') &&
    !options.basedir.includes('node_modules')
  ) {
    try {
      return options.defaultResolver(`${request.slice(0, -3)}.ts`, options);
    } catch {
      // a real .js file
    }
  }
  return options.defaultResolver(request, options);
};
