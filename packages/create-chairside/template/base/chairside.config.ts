import { defineConfig } from '@chairside/cli';
import { business } from './src/appointments.ts';
import { openProcessor } from './src/processor.ts';
import { openShop } from './src/shop.ts';

/** For `npx --no chairside doctor` and the other commands of the operator. */
export default defineConfig(async () => {
  const shop = await openShop({ ...openProcessor(), isServing: false });
  const { chairside, deliver, close } = shop;
  return { chairside, deliver, businesses: [business.id], close };
});
