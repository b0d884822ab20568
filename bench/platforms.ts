/** The HTTP adapters of Nest, by their names in the settings of a subject. */
export type PlatformName = 'express' | 'fastify';

export const ADAPTERS: readonly PlatformName[] = ['fastify', 'express'];

export const PLATFORM_TITLES = { fastify: 'Fastify', express: 'Express' } as const;
