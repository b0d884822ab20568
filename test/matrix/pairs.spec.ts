import { expect, it } from '@jest/globals';
import { pairsOf, pairwise } from './pairs.mjs';

const FACTORS = {
  node: ['20', '22', '24'],
  postgres: ['15', '17', '18'],
  around: ['nothing', 'nginx', 'hybrid'],
  nest: ['11', '12'],
  platform: ['express', 'fastify'],
};

it('The rows of the matrix have every pair of values, in twelve rows at most', () => {
  const rows = pairwise(FACTORS);
  const names = Object.keys(FACTORS) as (keyof typeof FACTORS)[];
  const wanted = names.flatMap((one, index) =>
    names
      .slice(index + 1)
      .flatMap((other) =>
        FACTORS[one].flatMap((first) =>
          FACTORS[other].map((second) => `${one}=${first} ${other}=${second}`),
        ),
      ),
  );
  expect(new Set(rows.flatMap((row) => pairsOf(row)))).toEqual(new Set(wanted));
  expect(rows.length).toBeLessThanOrEqual(12);
});
