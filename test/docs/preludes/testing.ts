/** What the code of docs/testing.md leaves out: globals of Jest and Vitest. */
export { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
