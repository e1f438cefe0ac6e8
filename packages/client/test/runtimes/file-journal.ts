import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import type { Journal } from '../../src/index.ts';

/** Keeps each entry as a file of the folder, for scripts under Node, Bun and Deno. */
export async function fileJournal(folder: string): Promise<Journal> {
  await mkdir(folder, { recursive: true });
  const pathOf = (key: string) => `${folder}/${encodeURIComponent(key)}`;
  return {
    keys: async () => (await readdir(folder)).map(decodeURIComponent),
    get: (key) => readFile(pathOf(key), 'utf8').catch(unlessAbsent),
    async set(key, value) {
      const unfinished = `${folder}/.${encodeURIComponent(key)}`;
      const written = await open(unfinished, 'w');
      await written.writeFile(value);
      await written.sync();
      await written.close();
      await rename(unfinished, pathOf(key));
    },
    remove: (key) => rm(pathOf(key), { force: true }),
  };
}

function unlessAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
