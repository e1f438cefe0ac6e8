// `--help` says how it is used. It runs inside the package that may depend on all the others.
await import('../packages/spec/src/simulation/main.ts');

export {};
