import { it } from '@jest/globals';

it('Passes beside a file whose process dies', () => undefined);
