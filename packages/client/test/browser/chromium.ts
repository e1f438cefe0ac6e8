import { existsSync } from 'node:fs';

/** The path of an installed Chromium: `CHROMIUM_PATH`, or Debian's. */
export function findChromium(): string | undefined {
  return [process.env['CHROMIUM_PATH'], '/usr/bin/chromium', '/usr/bin/chromium-browser'].find(
    (path) => path !== undefined && existsSync(path),
  );
}

export const howToInstall = 'no Chromium: apt-get install chromium, or set CHROMIUM_PATH';
