/**
 * These names stand in for `@jest/globals`. They lead to the file of tests that runs now, also from modules that stay loaded between files.
 */
const GLOBALS = Symbol.for('tillkit.jest.globals');

const ofThisFile = (name) =>
  new Proxy(() => undefined, {
    apply: (_target, self, values) => Reflect.apply(globalThis[GLOBALS][name], self, values),
    get: (_target, key) => globalThis[GLOBALS][name][key],
  });

export const afterAll = ofThisFile('afterAll');
export const afterEach = ofThisFile('afterEach');
export const beforeAll = ofThisFile('beforeAll');
export const beforeEach = ofThisFile('beforeEach');
export const describe = ofThisFile('describe');
export const expect = ofThisFile('expect');
export const it = ofThisFile('it');
export const jest = ofThisFile('jest');
