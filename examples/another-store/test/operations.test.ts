import { describeOperations } from '@chairside/spec';
import { openInFolder } from './open.ts';

await describeOperations({
  name: 'node:sqlite',
  openStore: () => {
    const { store, remove } = openInFolder();
    return { store, dispose: () => store.close().then(remove) };
  },
});
