import type { Page } from 'playwright-core';

const key = 'killAt';

/**
 * Counts the awaits of the app: its journal and its requests, before and after each. At the chosen
 * one the page is loaded anew, and the old app does nothing any more.
 */
export const disturb = `{
  let isDead = false;
  const point = () => {
    const left = Number(sessionStorage.getItem('${key}') ?? 0);
    if (isDead || left === 0) return;
    sessionStorage.setItem('${key}', left - 1);
    if (left > 1) return;
    isDead = true;
    location.reload();
  };
  const { fetch } = window;
  const never = new Promise(() => {});
  window.fetch = async (url, init) => {
    if (String(url).includes('/till/')) return fetch(url, init);
    point();
    if (isDead) return never;
    const response = await fetch(url, init);
    point();
    return isDead ? never : response;
  };
  for (const name of ['getItem', 'setItem', 'removeItem']) {
    const act = Storage.prototype[name];
    Storage.prototype[name] = function (key, ...rest) {
      if (this !== localStorage || !key.startsWith('chairside/')) return act.call(this, key, ...rest);
      point();
      if (isDead) return null;
      const value = act.call(this, key, ...rest);
      point();
      return value;
    };
  }
}`;

/** The app dies at that point, counted from now. */
export async function setKill(page: Page, at: number): Promise<void> {
  await page.evaluate(`sessionStorage.setItem('${key}', ${at})`);
}

export async function pointsLeft(page: Page): Promise<number> {
  return Number(await page.evaluate(`sessionStorage.getItem('${key}')`));
}
