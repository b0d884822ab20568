import { setTimeout as delay } from 'node:timers/promises';
import { it } from '@jest/globals';

it('Runs while the other worker has nothing to do', () => delay(1_000));
