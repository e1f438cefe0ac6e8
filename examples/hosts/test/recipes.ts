import type { Recipe } from './start.ts';

export interface TestedRecipe extends Recipe {
  readonly name: string;
  /** The files whose regions `mount` are the mount. */
  readonly mount: readonly string[];
  /** Steps of the conversation that end otherwise here, with the reason. */
  readonly differs: Readonly<Record<string, string>>;
}

const node = ['node', 'server.ts'];

/** Every host that the documents name. */
export const recipes: readonly TestedRecipe[] = [
  { name: 'Express 5', folder: 'express', start: node, mount: ['server.ts'], differs: {} },
  {
    name: 'Fastify 5',
    folder: 'fastify',
    start: node,
    mount: ['server.ts'],
    differs: {
      '`%zz`':
        'Fastify itself answers a path that its router cannot decode, with a 400 in its own form.',
    },
  },
  { name: 'Hono 4', folder: 'hono', start: node, mount: ['server.ts'], differs: {} },
  {
    name: 'NestJS 12',
    folder: 'nestjs',
    build: ['tsc'],
    start: ['node', 'dist/nestjs/main.js'],
    mount: ['main.ts'],
    differs: {},
  },
  {
    name: 'Next.js 16',
    folder: 'nextjs',
    build: ['next', 'build'],
    start: ['next', 'start', '-H', '127.0.0.1', '-p', 'PORT'],
    mount: ['lib/shop.ts', 'app/payments/[[...path]]/route.ts'],
    differs: {
      '`%zz`': 'Next.js itself answers a path that it cannot decode, with a 500 in its own form.',
    },
  },
  {
    name: 'SvelteKit 3',
    folder: 'sveltekit',
    build: ['vite', 'build'],
    start: node,
    mount: ['server.ts'],
    differs: {},
  },
  {
    name: 'Nuxt 4',
    folder: 'nuxt',
    build: ['nuxt', 'build'],
    start: ['env', 'HOST=127.0.0.1', 'node', '.output/server/index.mjs'],
    mount: ['server/utils/shop.ts', 'server/routes/payments/[...].ts'],
    differs: {},
  },
  { name: 'h3 2', folder: 'h3', start: node, mount: ['server.ts'], differs: {} },
  { name: 'node:http', folder: 'node-http', start: node, mount: ['server.ts'], differs: {} },
  { name: 'Bun', folder: 'bun', start: ['bun', 'server.ts'], mount: ['server.ts'], differs: {} },
  {
    name: 'Deno 2',
    folder: 'deno',
    start: ['deno', 'run', '-A', '--node-modules-dir=manual', 'server.ts'],
    mount: ['server.ts'],
    differs: {},
  },
  {
    name: 'workerd',
    folder: 'worker',
    build: [
      'esbuild',
      'worker.ts',
      '--bundle',
      '--format=esm',
      '--conditions=workerd',
      '--external:node:*',
      '--outfile=bundle.js',
    ],
    start: ['workerd', 'serve', 'workerd.capnp', '--socket-addr', 'http=127.0.0.1:PORT'],
    mount: ['worker.ts'],
    differs: {},
  },
];
