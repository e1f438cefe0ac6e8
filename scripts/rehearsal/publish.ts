import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Env, fresh, run } from './run.ts';

const root = join(import.meta.dirname, '../..');

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly repository?: { readonly url: string; readonly directory: string };
  readonly publishConfig?: { readonly access?: string; readonly provenance?: boolean };
}

/** Makes a version in a clone of this commit, and publishes it. Returns names with versions. */
export async function publishAll(folder: string, url: string): Promise<readonly string[]> {
  const clone = join(folder, 'chairside');
  await run(`git clone --quiet '${root}' chairside`, folder, fresh());
  await run('npx --yes pnpm install --frozen-lockfile', clone, fresh());
  writeFileSync(
    join(clone, '.changeset/rehearsal.md'),
    "---\n'@chairside/core': minor\n---\n\nThe rehearsal.\n",
  );
  await run('npx --yes pnpm version:packages', clone, fresh());
  const manifest: Manifest = read(join(clone, 'packages/core/package.json'));
  const address = new URL(manifest.repository?.url.replace(/^git\+(.*)\.git$/, '$1') ?? '');
  const env = {
    GITHUB_REF_NAME: `v${manifest.version}`,
    GITHUB_SERVER_URL: address.origin,
    GITHUB_REPOSITORY: address.pathname.slice(1),
    npm_config_registry: url,
    // npm asks for a token before it sends; this registry takes any.
    [`npm_config_${url.replace('http:', '')}:_authToken`]: 'rehearsal',
  };
  await runWorkflow(clone, env);
  const tarballs = globSync('tarballs/*.tgz', { cwd: clone }).sort();
  const published: string[] = [];
  for (const tarball of tarballs) {
    const text = await run(`tar -xzOf ${tarball} package/package.json`, clone, fresh());
    published.push(await checkPublished(JSON.parse(text), manifest.version, url));
  }
  return published;
}

/** Every step of the workflow after `.ci/run`, as it is written there. */
async function runWorkflow(clone: string, env: Env): Promise<void> {
  const workflow = readFileSync(join(clone, '.github/workflows/release.yml'), 'utf8');
  const steps = [...workflow.matchAll(/- run: (.*)/g)].map(([, line = '']) => line);
  const [first, ...others] = steps;
  const publishes = steps.some(
    (step) => step.includes('npm publish') && step.includes('--provenance'),
  );
  if (first !== '.ci/run' || !publishes) throw new Error('the workflow has other steps');
  for (const step of others) {
    // Only the workflow's own identity can sign where a package was built.
    await run(step.replace('--provenance', '--provenance=false'), clone, { ...fresh(), ...env });
  }
}

/** The registry must show what the workflow needs: one version, its repository, and provenance. */
async function checkPublished(packed: Manifest, version: string, url: string): Promise<string> {
  const { name, repository, publishConfig } = packed;
  const response = await fetch(url + name.replace('/', '%2f'));
  const known: { versions?: Record<string, Manifest> } = JSON.parse(await response.text());
  const shown = known.versions?.[version];
  const isWhole =
    packed.version === version &&
    shown?.repository?.url === repository?.url &&
    repository?.directory.startsWith('packages/') === true &&
    publishConfig?.provenance === true &&
    publishConfig.access === 'public';
  if (!isWhole) throw new Error(`${name} was published as ${JSON.stringify(shown ?? known)}`);
  return `${name} ${version}`;
}

const read = (path: string) => JSON.parse(readFileSync(path, 'utf8'));
