import { existsSync, readFileSync, realpathSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** By the numbers of Linux. Other machines may have the file open, and share no memory with this one. */
const ofMachines: Readonly<Record<number, string>> = {
  26985: 'NFS',
  4283649346: 'CIFS',
  4266872130: 'SMB',
};
/** Local disks of virtual machines and of gVisor's containers may be these, and so may a network's. */
const ofEither: Readonly<Record<number, string>> = { 1702057286: 'FUSE', 16914839: '9p' };

/** Says why what a store acknowledges in this file may be lost; for a person. */
export function unsafePlace(file: string | undefined): string | undefined {
  if (file === undefined) return undefined;
  try {
    const real = realOf(file);
    const devices = [real, `${real}-wal`, `${real}-shm`].flatMap(
      (path) => statSync(path, { throwIfNoEntry: false })?.dev ?? [],
    );
    if (new Set(devices).size > 1 || isMountPoint(real)) return mountedAlone;
    const system = ofMachines[typeOf(real)];
    return system === undefined
      ? undefined
      : `its folder is on ${system}, where SQLite may lose commits or damage the database, because its processes share memory; use a local disk of this machine, or PostgreSQL`;
  } catch {
    // SQLite will report the problem.
    return undefined;
  }
}

export function doubtfulPlace(file: string): string | undefined {
  try {
    const system = ofEither[typeOf(realOf(file))];
    return system === undefined
      ? undefined
      : `The database is on a ${system} file system. If that reaches another machine, as sshfs does, use a local disk: SQLite would lose commits there`;
  } catch {
    return undefined;
  }
}

function realOf(file: string): string {
  return existsSync(file) ? realpathSync(file) : file;
}

function typeOf(real: string): number {
  // The number is signed on machines of 32 bits.
  return process.platform === 'linux' ? statfsSync(dirname(real)).type >>> 0 : 0;
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
