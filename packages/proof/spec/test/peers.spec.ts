import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

type Versions = Readonly<Record<string, string>>;
interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly dependencies?: Versions;
  readonly peerDependencies?: Versions;
  readonly devDependencies?: Versions;
}

const root = join(import.meta.dirname, '../../../..');
const manifests = globSync('packages/{*,proof/*}/package.json', { cwd: root })
  .map((path): Manifest => JSON.parse(readFileSync(join(root, path), 'utf8')))
  .filter((manifest) => manifest.private !== true);

/** The packages whose objects a host passes in or receives. */
const ofHosts = ['@opentelemetry/api', 'better-sqlite3', 'h3', 'neverthrow', 'pg', 'stripe'];

/** The other packages pass this peer of the core on, and import the core's names. */
const isPassedOn = (peer: string, by: string) => peer === 'neverthrow' && by !== '@chairside/core';

describe.each(manifests)('$name', ({ name: own, dependencies = {}, ...manifest }) => {
  const { peerDependencies = {}, devDependencies = {} } = manifest;

  it('waits for no release of ours to receive a security patch (D133)', () => {
    const exact = Object.entries(dependencies).filter(([, range]) => /^\d/.test(range));
    expect(exact).toEqual([]);
  });

  it("uses the host's copy of what a host passes in (D133)", () => {
    for (const name of ofHosts) expect(dependencies).not.toHaveProperty([name]);
  });

  it('is tested at both ends of the ranges of its peers (D133)', () => {
    for (const [name, range] of Object.entries(peerDependencies)) {
      if (isPassedOn(name, own)) continue;
      const lowest = devDependencies[`${name}-lowest`]?.replace(/.*@/, '');
      const [, from] = /^>=([\d.]+) /.exec(range) ?? [];
      if (lowest !== undefined) expect(lowest, name).toBe(from);
      else if (ofHosts.includes(name)) expect([devDependencies[name], undefined]).toContain(from);
    }
  });
});
