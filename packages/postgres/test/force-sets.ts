// The size of the smallest group that is written set by set: with 1 all that can be, with Infinity
// none. `CHAIRSIDE_SETS=1 npx --yes pnpm proofs packages/postgres`.
const fewest = process.env['CHAIRSIDE_SETS'];
if (fewest !== undefined) {
  const { setWise } = await import('../src/commit-group.ts');
  setWise.fewest = Number(fewest);
}
