const versionPattern = /^(?:[A-Za-z]{1,15} )?(\d{1,9}(?:\.\d{1,9}){0,3})(?:[ -].{0,30})?$/;

/**
 * The numbers of a dotted version such as `16.7.2`, also after a name: `iOS 17.1`. `undefined` for any
 * other text (D5).
 */
export function parseVersion(text: string): readonly number[] | undefined {
  return versionPattern.exec(text)?.[1]?.split('.').map(Number);
}

/** Negative if `a` is older than `b`, zero if they are equal, positive if `a` is newer. */
export function compareVersions(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < Math.max(a.length, b.length); i += 1) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
