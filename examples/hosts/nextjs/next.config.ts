import { join } from 'node:path';

export default {
  turbopack: { root: join(import.meta.dirname, '..') }, // the shop's folder is beside this one
};
