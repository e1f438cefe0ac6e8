// Properties are tried on the same cases in every run, so that a red run is red again. To look for
// new ones: `FC_SEED=$RANDOM npx --yes pnpm exec vitest run packages/core`.
import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env['FC_SEED'] ?? 20_261_121) });
