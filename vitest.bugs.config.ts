import { defineConfig } from 'vitest/config';
import { plugin } from './scripts/bugs/plant.ts';
import all from './vitest.config.ts';

export default defineConfig({
  test: {
    ...all.test,
    // It would serve the unbroken file.
    fsModuleCache: false,
    projects: (all.test?.projects ?? []).map((project) =>
      typeof project === 'object' && 'test' in project
        ? { ...project, plugins: [plugin] }
        : project,
    ),
  },
});
