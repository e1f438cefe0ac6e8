import { readFileSync, realpathSync, statSync } from 'node:fs';

/** Says why what a store acknowledges in this file may be lost; for a person. */
export function unsafePlace(file: string): string | undefined {
  try {
    const real = realpathSync(file);
    const devices = [real, `${real}-wal`, `${real}-shm`].flatMap(
      (path) => statSync(path, { throwIfNoEntry: false })?.dev ?? [],
    );
    return new Set(devices).size > 1 || isMountPoint(real) ? mountedAlone : undefined;
  } catch {
    // It is new, or SQLite will report the problem.
    return undefined;
  }
}

const mountedAlone =
  'it is mounted alone, so that commits in its -wal stay behind in the container, and no other process sees them; mount the folder, not the file';

/** Only Linux lists its mounts, and mounts single files. */
function isMountPoint(path: string): boolean {
  if (process.platform !== 'linux') return false;
  const mounts = readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
  return mounts.some((line) => unescaped(line.split(' ')[4] ?? '') === path);
}

/** The kernel writes spaces and backslashes as octal numbers. */
function unescaped(path: string): string {
  return path.replaceAll(/\\([0-7]{3})/g, (_, octal) =>
    String.fromCharCode(Number.parseInt(octal, 8)),
  );
}
