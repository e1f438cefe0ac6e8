// pnpm trace:durability
//   Traces the system calls of a server while it opens and captures a payment, and shows that the
//   database was on the disk before each answer was sent. Linux only; needs `strace`.
// It runs inside the package that may depend on all the others.
await import('../packages/spec/src/crash/trace-main.ts');

export {};
