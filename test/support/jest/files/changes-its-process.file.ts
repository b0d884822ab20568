import { expect, it, jest } from '@jest/globals';

it('Changes the process, and puts nothing back', () => {
  process.env['TILLKIT_LEFT_BEHIND'] = 'yes';
  delete process.env['PATH'];
  process.chdir('test');
  jest.spyOn(Math, 'random').mockReturnValue(2);
  jest.useFakeTimers({ now: 0 });
  jest.setTimeout(1);
  expect(Math.random()).toBe(2);
});
