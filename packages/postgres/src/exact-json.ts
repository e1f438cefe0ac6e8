/** Replaces bigints in JSON, which has no 64-bit integers; PostgreSQL accepts them as text. */
export function exactly(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}
