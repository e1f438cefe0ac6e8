// pnpm crash [--cycles 100] [--seed 1] [--servers 1]
//   Kills a server under load, again and again, starts it again and holds what clients were told,
//   its database and the processor's books against one another. With --servers 2, two processes
//   share the database, and are killed one after the other.
// It runs inside the package that may depend on all the others.
await import('../packages/spec/src/crash/main.ts');

export {};
