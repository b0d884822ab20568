/** Nest's two platforms, as the settings of a subject name them. */
export type PlatformName = 'express' | 'fastify';

export const ADAPTERS: readonly PlatformName[] = ['fastify', 'express'];

export const PLATFORM_TITLES = { fastify: 'Fastify', express: 'Express' } as const;
