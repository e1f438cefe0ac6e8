import { existsSync } from 'node:fs';

/** Where a Chromium is installed: `CHROMIUM_PATH`, or where Debian's package puts it. */
export function findChromium(): string | undefined {
  return [process.env['CHROMIUM_PATH'], '/usr/bin/chromium', '/usr/bin/chromium-browser'].find(
    (path) => path !== undefined && existsSync(path),
  );
}

export const howToInstall = 'no Chromium: apt-get install chromium, or set CHROMIUM_PATH';
