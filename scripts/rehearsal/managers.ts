import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Env, fresh, run } from './run.ts';

export interface Manager {
  readonly name: 'npm' | 'pnpm' | 'yarn' | 'bun';
  /** Its package, unless Node brings it. */
  readonly tool: Readonly<Record<string, string>>;
  /** Makes it use the registry at this URL, and accept packages that were published a moment ago. */
  readonly settings: (url: string) => Env;
}

export const managers: readonly Manager[] = [
  { name: 'npm', tool: {}, settings: (url) => ({ npm_config_registry: url }) },
  {
    name: 'pnpm',
    tool: { pnpm: '12.21.0' },
    settings: (url) => ({
      npm_config_registry: url,
      pnpm_config_registry: url,
      pnpm_config_minimum_release_age: '0',
    }),
  },
  {
    name: 'yarn',
    tool: { '@yarnpkg/cli-dist': '4.18.1' },
    settings: (url) => ({
      YARN_NPM_REGISTRY_SERVER: url,
      YARN_UNSAFE_HTTP_WHITELIST: '127.0.0.1',
      YARN_NPM_MINIMAL_AGE_GATE: '0',
      YARN_ENABLE_TELEMETRY: '0',
    }),
  },
  { name: 'bun', tool: { bun: '1.4.5' }, settings: (url) => ({ npm_config_registry: url }) },
];

/** Installs the package managers from the usual registry. Returns the folder of their programs. */
export async function installTools(folder: string): Promise<string> {
  mkdirSync(folder, { recursive: true });
  const dependencies = Object.assign({}, ...managers.map(({ tool }) => tool));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }));
  await run('npm install --no-audit --no-fund --prefer-offline', folder, fresh());
  return join(folder, 'node_modules/.bin');
}
