import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { web } from './bundle.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The folder in which React is installed. */
    readonly react: string;
  }
}

/** React is installed in a temporary folder, so that the workspace stays small. */
export function setup(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'chairside-web-'));
  cpSync(join(web, 'package.json'), join(folder, 'package.json'));
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: folder });
  project.provide('react', folder);
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}
