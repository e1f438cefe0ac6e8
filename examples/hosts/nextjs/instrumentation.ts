const retryMs = 10_000;

/**
 * Next.js calls it when the server starts, but not in `next build`, which must open no database. If it threw,
 * Next.js would fail every later request.
 */
export async function register(): Promise<void> {
  if (process.env['NEXT_RUNTIME'] !== 'nodejs') return;
  const { shop } = await import('./lib/shop.ts');
  const start = (): Promise<unknown> =>
    shop().catch((error) => {
      console.error(error);
      setTimeout(start, retryMs);
    });
  await start();
}
