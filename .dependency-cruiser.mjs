// Imports point one way: types count, and a package counts by the sources that its name resolves to.
import { globSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';

const folders = globSync('{packages,packages/proof,examples}/*/package.json').map((path) =>
  dirname(path),
);
const manifests = folders.map((folder) => ({
  folder,
  ...JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')),
}));

/** dependency-cruiser tells only packages in `node_modules` whether they are declared, and ours are links. */
const undeclared = manifests.map(({ folder, dependencies, peerDependencies }) => {
  const known = manifests.filter(({ name }) => name in { ...dependencies, ...peerDependencies });
  const allowed = [folder, ...known.map((one) => one.folder)].map((path) => `^${path}/`);
  return {
    name: `declared-by-${folder}`,
    comment: "what a package ships imports only the package's dependencies and peerDependencies",
    from: { path: `^${folder}/src/` },
    to: { path: '^(packages|examples)/', pathNot: allowed },
  };
});

const core = '^packages/core/src';
const anyPackage = '^packages/(proof/)?[^/]+';
const npm = (...names) => `node_modules/(${names.join('|')})/`;

const records = {
  payment: 'payment|follow|dues|tip',
  refund: 'refund|dispute|movement',
  charge: 'charge',
  setup: 'setup',
  tender: 'tender',
  share: 'share|shares-of',
  terminal: 'terminal',
  statement: 'settlement|statement',
  event: 'event',
  host: 'host',
  upkeep: 'review|swept-books',
  frame: 'record',
};
/** The record files of the features. They are pure, so that every layer may know them. */
const record = Object.entries(records).map(
  ([feature, files]) => `${core}/${feature}/(${files})\\.ts$`,
);
/** How work at the processor is carried, whatever it is: ask, lease, carry, and the faults that operations share. */
const carry = `${core}/payment/(carry|faults)\\.ts$`;
const wire = `${core}/[a-z]+/([a-z-]*(wire|shapes|row)|shape)\\.ts$`;

/** Each rule says what no import may do, and why. */
const rules = {
  'no-circle': {
    comment: 'files that import one another cannot be read one at a time, types included',
    from: {},
    to: { circular: true },
  },
  'pure-values': {
    comment: 'values are pure and synchronous: they know nothing but themselves',
    from: { path: `${core}/values/` },
    to: { pathNot: [`${core}/values/`, npm('valibot', 'neverthrow', '@noble/hashes')] },
  },
  records: {
    comment: "a feature's record is pure, and knows other records alone",
    from: { path: record },
    to: { path: `${core}/`, pathNot: [`${core}/(values|problems)/`, ...record] },
  },
  ports: {
    comment: 'a port speaks of records; who implements it need not know who calls it',
    // Its index names what adapters need from anywhere.
    from: { path: `${core}/ports/`, pathNot: '/index\\.ts$' },
    to: { path: `${core}/`, pathNot: [`${core}/(ports|problems|values)/`, ...record] },
  },
  wire: {
    comment: 'shapes on the wire and rows in a store know no request',
    from: { path: [wire, `${core}/storage/`] },
    to: {
      path: `${core}/`,
      pathNot: [`${core}/(storage|ports|problems|values)/`, ...record, wire],
    },
  },
  frame: {
    comment: 'the frame around a use case does not know which one it holds',
    from: { path: `${core}/frame/` },
    to: { path: `${core}/`, pathNot: `${core}/(frame|ports|problems|values)/` },
  },
  carry: {
    comment: 'work of any kind is carried in one way, which knows no operation',
    from: { path: carry },
    to: {
      path: `${core}/`,
      pathNot: [carry, `${core}/(frame|storage|ports|problems|values)/`, ...record],
    },
  },
  payment: {
    comment: 'the other features stand on payments, never the other way round',
    from: { path: `${core}/payment/` },
    to: {
      path: `${core}/(refund|charge|setup|tender|terminal|statement|event|erase|upkeep)/`,
      // A late capture asks the statement which day is still open.
      pathNot: [...record, wire, `${core}/statement/open-day\\.ts$`],
    },
  },
  upkeep: {
    comment: 'upkeep runs over all features, and none knows it',
    from: {
      path: `${core}/`,
      pathNot: `${core}/((upkeep|erase)/|ports/index\\.ts|(operations|chairside|index)\\.ts)`,
    },
    to: { path: `${core}/(upkeep|erase)/`, pathNot: [...record, wire] },
  },
  'top-of-core': {
    comment: 'the operations, bound, are the top of the core',
    from: { path: `${core}/`, pathNot: `${core}/(ports/)?index\\.ts$` },
    to: { path: `${core}/(chairside|index)\\.ts$` },
  },
  'one-neverthrow': {
    comment: 'neverthrow comes in at one place, so that it can be replaced there',
    from: {
      pathNot: ['^packages/core/src/values/result(\\.test)?\\.ts$', 'node_modules'],
    },
    to: { path: npm('neverthrow') },
  },
  'core-runs-anywhere': {
    comment: 'the core runs anywhere: no framework, no I/O, no Node built-in',
    from: { path: `${core}/` },
    to: { pathNot: [`${core}/`, npm('neverthrow', 'valibot', '@noble/hashes')] },
  },
  'adapters-know-the-core': {
    comment: 'adapters know the core alone: each can be left out or replaced',
    // The operator's command opens a SQLite file by itself.
    from: {
      path: `(${anyPackage})/src/`,
      pathNot: '^packages/(proof/(spec|bench|cluster|trials)|cli)/',
    },
    to: { path: '^packages/', pathNot: [`${core}/`, '$1/'] },
  },
  'no-test-code': {
    comment: 'what is shipped needs no test code',
    from: {
      path: `${anyPackage}/src/`,
      pathNot: '^packages/proof/(spec|bench|cluster|testkit|trials)/',
    },
    to: { path: [npm('vitest', 'fast-check'), '^packages/proof/testkit/', `${anyPackage}/test/`] },
  },
  trials: {
    comment:
      'trials run over any adapter, in any process: they know the ports and the store in memory',
    from: { path: '^packages/proof/trials/src/' },
    to: {
      path: [npm('vitest', 'fast-check'), '^packages/'],
      pathNot: [
        '^packages/proof/trials/',
        `^packages/(core|proof/testkit)/src/(ports/)?index\\.ts$`,
      ],
    },
  },
  'no-proofs': {
    comment: 'the product works without its proofs; tests alone import them',
    // The demonstration of many nodes brings its own server, so that it runs with one command.
    from: {
      path: '/src/',
      pathNot: ['^packages/proof/', '^examples/many-nodes/src/main\\.ts$', 'node_modules'],
    },
    to: { path: '^packages/proof/' },
  },
  'stand-in': {
    comment: 'an oracle that shares a table with the adapter shares its mistakes',
    from: { path: '^packages/proof/stripe-stand-in/' },
    to: { path: '^packages/stripe/' },
  },
  judge: {
    comment: 'a judge of histories knows the history alone',
    from: { path: '^packages/proof/judge/' },
    to: { path: '^packages/', pathNot: '^packages/proof/judge/' },
  },
  'by-its-name': {
    comment: 'one package knows another by its name, and only what it exports',
    from: { path: '^((?:packages(?:/proof)?|examples)/[^/]+)/' },
    to: { path: '^(packages|examples|scripts)/', pathNot: '^$1/', dependencyTypes: ['local'] },
  },
  declared: {
    comment: "what a package ships imports only the package's dependencies and peerDependencies",
    from: { path: '^(packages(/proof)?|examples)/[^/]+/src/' },
    to: { path: 'node_modules/', dependencyTypesNot: ['npm', 'npm-peer'] },
  },
  resolved: { comment: 'an import leads somewhere', from: {}, to: { couldNotResolve: true } },
};

/** Unit tests stand beside what is shipped, and import what they need. */
const shipped = (from) =>
  String(from.path).includes('/src')
    ? { ...from, pathNot: ['\\.test\\.ts$', from.pathNot ?? []].flat() }
    : from;

export default {
  forbidden: [
    ...Object.entries(rules).map(([name, rule]) => ({ name, ...rule })),
    ...undeclared,
  ].map((rule) => ({ severity: 'error', ...rule, from: shipped(rule.from) })),
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^packages/.*/dist/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['@chairside/source', 'types', 'import', 'node', 'default'],
    },
  },
};
