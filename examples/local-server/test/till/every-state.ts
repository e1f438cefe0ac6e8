import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Plugin } from 'esbuild';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { violations } from './axe.ts';

// Draws every state of a screen in its real page, whose facts are replaced.

const examples = join(import.meta.dirname, '../../../../packages/client/test/screen-examples.ts');
/** The facts of each state, and those of a customer who chooses a tip, in the page. */
const prelude = `
import { base, examples } from ${JSON.stringify(examples)};
const tipping = { ...base, takesTips: true, tipping: { price: '45.00' } };
globalThis.drawn = [...examples, ['ready', tipping]];
`;
/** Half of a phone's and of a desktop's width is a zoom of 200 %. */
const widths = [320, 390, 640, 1280, 1920];
const pictured = ['ready', 'paid', 'declined', 'noAnswer', 'refunded', 'askingBack'];

/** Lets the page of a test say what is known. */
export const factsOfTest = (file: RegExp, facts: string): Plugin => ({
  name: 'facts of the test',
  setup: ({ onLoad }) =>
    onLoad({ filter: file }, ({ path }) => {
      const source = readFileSync(path, 'utf8');
      const contents = source.replace(`= ${facts};`, `= globalThis.facts ?? ${facts};`);
      expect(contents).not.toBe(source);
      return {
        contents: prelude + contents,
        resolveDir: dirname(path),
        loader: path.endsWith('x') ? 'tsx' : 'ts',
      };
    }),
});

/** Notes each vibration and the pitch of each sound, in a page that is open. */
export const listenToSignals = `{
  globalThis.signals = [];
  navigator.vibrate = (pattern) => signals.push(pattern);
  const { start } = OscillatorNode.prototype;
  OscillatorNode.prototype.start = function () {
    signals.push(this.frequency.value);
    return start.call(this);
  };
}`;

interface Drawn {
  readonly page: Page;
  /** The screen in this state. */
  readonly at: (state: string) => string;
  /** The elements that must stay in view, and those that get a long name. */
  readonly within: string;
  readonly names: string;
  readonly folder: string;
  readonly height: number;
  /** Rules that the page around the screen would break. */
  readonly without?: readonly string[];
}

/** What is wrong with the looks of each state: findings of axe, and what leaves the page. */
export async function drawEveryState(looks: Drawn): Promise<readonly string[]> {
  const { page, at, within, names, folder, height, without } = looks;
  const faults: string[] = [];
  const states = await page.evaluate<string[]>('drawn.map(([state]) => state)');
  for (const [number, state] of states.entries()) {
    await page.evaluate(`globalThis.facts = drawn[${number}][1]`);
    await page.waitForSelector(at(state), { timeout: 30_000 });
    await page.evaluate(
      `for (const name of document.querySelectorAll('${names}')) name.textContent = 'W'.repeat(80)`,
    );
    for (const width of widths) {
      await page.setViewportSize({ width, height });
      const overflow = await page.evaluate<number>(
        `Math.max(document.documentElement.scrollWidth, ...[...document.querySelectorAll('${within}')].map((one) => one.getBoundingClientRect().right)) - innerWidth`,
      );
      if (overflow > 0) faults.push(`${state}, ${width} px: ${overflow} px outside`);
      if (pictured.includes(state) && number < states.length - 1) {
        await page.screenshot({ path: join(folder, `${state}-${width}.png`) });
      }
    }
    await page.setViewportSize({ width: 390, height });
    const found = await violations(page, without);
    faults.push(...found.map((each) => `${state}: ${each}`));
  }
  return faults;
}
