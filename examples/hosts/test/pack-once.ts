import { rmSync } from 'node:fs';
import type { TestProject } from 'vitest/node';
import { newFolder, pack } from './project.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The folder of the packed packages, made by the documented command in a clean clone. */
    readonly tarballs: string;
  }
}

/** Packing takes a minute, so all files of the project share it. */
export async function setup(project: TestProject): Promise<() => void> {
  const folder = newFolder();
  project.provide('tarballs', await pack(folder));
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}
