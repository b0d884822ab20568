import { it } from '@jest/globals';

it('Never runs', () => undefined);
throw new Error('this file does not load');
