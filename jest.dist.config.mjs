process.env.TEST_TARGET = 'dist';
export default (await import('./jest.config.mjs')).default;
