// Properties use the same cases in every run, so that a failure repeats. To try new ones:
// `FC_SEED=$RANDOM npx --yes pnpm exec vitest run packages/core`.
import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env['FC_SEED'] ?? 20_261_121) });
