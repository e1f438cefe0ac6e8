import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright-core';

const repository = join(import.meta.dirname, '../../../..');
const isUpdate = process.env['UPDATE_DOCS'] === '1';

/**
 * Takes a picture into `coverage/till`, and returns how much of it differs from the committed one
 * in `docs/images`: 0 to 1. With `UPDATE_DOCS=1` it becomes the committed one.
 */
export async function takePicture(page: Page, blank: Page, name: string): Promise<number> {
  await page.evaluate('scrollTo(0, 0)');
  const taken = await page.screenshot({ animations: 'disabled', caret: 'hide' });
  write(join(repository, 'coverage/till', name), taken);
  const committed = join(repository, 'docs/images', name);
  if (isUpdate || !existsSync(committed)) write(committed, taken);
  return difference(blank, taken, readFileSync(committed));
}

function write(path: string, picture: Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, picture);
}

/**
 * The share of blocks whose mean colour differs. Blocks are larger than a letter, so that another
 * smoothing of fonts changes little, and a missing border or a moved column much.
 */
export async function difference(blank: Page, one: Buffer, two: Buffer): Promise<number> {
  const [first, second] = [one, two].map((picture) => JSON.stringify(picture.toString('base64')));
  const share: unknown = await blank.evaluate(`(async () => {
    const block = 8;
    const read = async (base64) => {
      const picture = new Image();
      picture.src = 'data:image/png;base64,' + base64;
      await picture.decode();
      const width = Math.ceil(picture.width / block);
      const height = Math.ceil(picture.height / block);
      const context = new OffscreenCanvas(width, height).getContext('2d');
      context.imageSmoothingQuality = 'high';
      context.drawImage(picture, 0, 0, width, height);
      return { width, height, colours: context.getImageData(0, 0, width, height).data };
    };
    const [one, two] = [await read(${first}), await read(${second})];
    if (one.width !== two.width || one.height !== two.height) return 1;
    let differing = 0;
    for (let at = 0; at < one.colours.length; at += 4) {
      const distance = [0, 1, 2].map((channel) => Math.abs(one.colours[at + channel] - two.colours[at + channel]));
      if (Math.max(...distance) > 12) differing += 1;
    }
    return differing / (one.width * one.height);
  })()`);
  return Number(share);
}
