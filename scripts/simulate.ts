// pnpm simulate [--seeds 1000] [--from 1] [--operations 200] [--store map|sqlite|postgres|stripe|wire]
//   Seed after seed, on every core, until one breaks a promise; then its smallest plan is printed.
// pnpm simulate --plan plan.json
//   Carries out one plan, as it was printed.
// pnpm exhaustive [--pairs]
//   Every fault at every port call of create, present, capture; with --pairs, every two of them.
// pnpm simulate --bugs
//   Plants one bug after the other into the core, and looks who notices.
// It runs inside the package that may depend on all the others.
await import('../packages/spec/src/simulation/main.ts');

export {};
