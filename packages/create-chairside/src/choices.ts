/** A choice, and what a project with it adds to the common parts. */
export interface Choice {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly compilerOptions?: Readonly<Record<string, unknown>>;
  /** Lines of `.env`. */
  readonly env?: readonly string[];
  /** The file that starts the server. */
  readonly server?: string;
}

/** Replaced by the version of the packages that belong to this program. */
export const ours = 'ours';

export const hosts = {
  express: {
    name: 'Express',
    dependencies: { express: '^5.0.0' },
    devDependencies: { '@types/express': '^5.0.0' },
  },
  fastify: { name: 'Fastify', dependencies: { fastify: '^5.0.0' } },
  hono: { name: 'Hono', dependencies: { '@hono/node-server': '^2.0.0', hono: '^4.0.0' } },
  h3: { name: 'h3' },
  nest: {
    name: 'NestJS',
    dependencies: {
      '@nestjs/common': '^12.0.0',
      '@nestjs/core': '^12.0.0',
      '@nestjs/platform-express': '^12.0.0',
      'reflect-metadata': '^0.2.0',
      rxjs: '^7.0.0',
    },
    scripts: {
      build: 'tsc --noEmit false --outDir dist',
      start: 'node --env-file-if-exists=.env dist/src/server.js',
    },
    compilerOptions: { experimentalDecorators: true, emitDecoratorMetadata: true, rootDir: '.' },
  },
  next: {
    name: 'Next.js',
    dependencies: { next: '^16.0.0', react: '^19.0.0', 'react-dom': '^19.0.0' },
    devDependencies: { '@types/react': '^19.0.0' },
    scripts: {
      build: 'next build',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the shell fills it in
      start: 'next start --hostname 127.0.0.1 --port ${PORT:-3100}',
      typecheck: 'next typegen && tsc',
    },
    compilerOptions: {
      module: 'esnext',
      moduleResolution: 'bundler',
      lib: ['dom', 'dom.iterable', 'esnext'],
      jsx: 'react-jsx',
      resolveJsonModule: true,
      incremental: true,
      allowJs: true,
      esModuleInterop: true,
      plugins: [{ name: 'next' }],
    },
    server: 'src/app/',
  },
} satisfies Readonly<Record<string, Choice>>;

export const stores = {
  sqlite: {
    name: 'SQLite',
    dependencies: { '@chairside/sqlite': ours, 'better-sqlite3': '^13.2.0' },
    devDependencies: { '@types/better-sqlite3': '^9.0.0' },
  },
  postgres: {
    name: 'PostgreSQL',
    dependencies: { '@chairside/postgres': ours, pg: '^8.23.0' },
    devDependencies: { '@types/pg': '^8.11.0' },
    env: ['DATABASE_URL=postgresql://shop:shop@127.0.0.1:5432/shop'],
  },
} satisfies Readonly<Record<string, Choice>>;

export const processors = {
  fake: {
    name: 'a simulated processor',
    dependencies: { '@chairside/client': ours, '@chairside/fake-processor': ours },
    scripts: { pay: 'node src/pay.ts' },
  },
  stripe: {
    name: 'Stripe',
    dependencies: { '@chairside/stripe': ours, stripe: '^23.1.0' },
    devDependencies: { '@chairside/client': ours, '@chairside/stripe-stand-in': ours },
    env: [
      'STRIPE_SECRET_KEY=',
      '# The connected account that takes the payments: acct_…',
      'STRIPE_ACCOUNT=',
      'STRIPE_CURRENCY=eur',
      '# Where the terminals stand: tml_…',
      'STRIPE_LOCATION=',
      '# Of the webhook to /payments/processor/events: whsec_…',
      'STRIPE_WEBHOOK_SECRET=',
    ],
  },
} satisfies Readonly<Record<string, Choice>>;

export interface Choices {
  readonly host: keyof typeof hosts;
  readonly store: keyof typeof stores;
  readonly processor: keyof typeof processors;
}

/** The parts of every project. */
export const common: Choice = {
  name: 'common',
  dependencies: {
    '@chairside/core': ours,
    '@chairside/h3': ours,
    h3: '^2.0.1',
    neverthrow: '^8.2.0',
  },
  devDependencies: { '@chairside/cli': ours, '@types/node': '^24.0.0', typescript: '^6.0.0' },
  scripts: {
    start: 'node --env-file-if-exists=.env src/server.ts',
    test: 'node --env-file-if-exists=.env --test test/payment.test.ts',
    typecheck: 'tsc',
  },
  compilerOptions: {
    module: 'nodenext',
    target: 'es2024',
    types: ['node'],
    noEmit: true,
    rewriteRelativeImportExtensions: true,
    erasableSyntaxOnly: true,
    isolatedModules: true,
    verbatimModuleSyntax: true,
    strict: true,
    exactOptionalPropertyTypes: true,
    noFallthroughCasesInSwitch: true,
    noImplicitOverride: true,
    noImplicitReturns: true,
    noPropertyAccessFromIndexSignature: true,
    noUncheckedIndexedAccess: true,
    noUnusedLocals: true,
    noUnusedParameters: true,
    skipLibCheck: true,
  },
  env: [
    '# The mark of this installation on its payments. Each copy needs its own; never change it.',
    'INSTALLATION=NAME-development',
  ],
  server: 'src/server.ts',
};
