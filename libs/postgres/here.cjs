/**
 * Resolves packages as this package sees them. It is CommonJS, because test runners such as Jest turn our modules into CommonJS,
 * and `import.meta` does not exist there.
 */
/** @param {string} name */
exports.resolveFromHere = (name) => require.resolve(name);
