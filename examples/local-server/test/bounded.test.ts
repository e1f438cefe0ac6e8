import { maxBodyLength } from '@chairside/h3';
import { expect, it } from 'vitest';
import { readConfig } from '../src/config.ts';
import { readStart } from '../src/read-json.ts';

it('reads no more of a body than tells that it is too long', async () => {
  let sent = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      sent += 1;
      controller.enqueue(new Uint8Array(8192));
    },
  });
  expect((await readStart({ body })).length).toBe(maxBodyLength + 1);
  expect(sent).toBeLessThan(8);
});

it('refuses a live key where other machines may use the public tokens', () => {
  const live = {
    STRIPE_SECRET_KEY: ['sk', 'live', 'x'].join('_'),
    STRIPE_ALLOW_LIVE: 'yes',
    STRIPE_ACCOUNT: 'acct_1',
  };
  for (const HOST of ['0.0.0.0', '::', '192.0.2.1']) {
    expect(readConfig({ ...live, HOST })._unsafeUnwrapErr()).toContain('HOST');
  }
  for (const HOST of ['', '127.0.0.1', 'localhost']) {
    expect(readConfig({ ...live, HOST }).isOk()).toBe(true);
  }
});
