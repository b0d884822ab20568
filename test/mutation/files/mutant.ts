/** Stryker's instrumented code leaves this when its mutant 7 runs. */
Object.assign(globalThis, { __stryker__: { mutantCoverage: { static: { '7': 1 }, perTest: {} } } });
