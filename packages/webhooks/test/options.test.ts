import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createWebhookHandler, type WebhookOptions } from '../src/index.ts';
import { secret } from './receiver.ts';

const good: WebhookOptions = { url: 'https://hooks.example/chairside', secrets: [secret] };

function problemOf(options: Partial<WebhookOptions>): string | undefined {
  const made = createWebhookHandler({ ...good, ...options });
  return made.isErr() ? made.error.kind : undefined;
}

describe('the options', () => {
  it('may be a URL and a secret', () => {
    expect(problemOf({})).toBeUndefined();
    expect(problemOf({ url: 'https://93.184.216.34:8443/a?b=c' })).toBeUndefined();
    expect(problemOf({ url: 'https://[2606:2800:220:1:248:1893:25c8:1946]/' })).toBeUndefined();
  });

  it.each([
    ...['', 'hooks.example', '/hooks', 'ftp://hooks.example/', 'file:///etc/passwd'],
    ...['https://user:word@hooks.example/', 'https://hooks.example/#a'],
    `https://hooks.example/${'a'.repeat(2048)}`,
  ])('have no URL like %j', (url) => {
    expect(problemOf({ url, allowPrivateAddresses: true })).toBe('invalidUrl');
  });

  it.each([
    ...['http://hooks.example/', 'https://127.0.0.1/', 'https://10.1.2.3/', 'https://172.16.0.1/'],
    ...['https://192.168.0.1/', 'https://169.254.169.254/latest', 'https://100.64.0.1/'],
    ...['https://0.0.0.0/', 'https://2130706433/', 'https://0x7f.1/', 'https://255.255.255.255/'],
    ...['https://[::1]/', 'https://[::]/', 'https://[fe80::1]/', 'https://[fd00::1]/'],
    ...['https://[::ffff:10.0.0.1]/', 'https://[64:ff9b::a00:1]/', 'https://[2002:a00:1::]/'],
    // An IPv6 address that stands for an IPv4 one, one of a range that nobody owns, and Azure's platform.
    ...['https://[::7f00:1]/', 'https://[4000::1]/', 'https://168.63.129.16/'],
    ...['https://192.0.0.192/', 'https://100.100.100.200/', 'https://[fd00:ec2::254]/'],
    ...['https://[fd20:ce::254]/', 'https://[fd00:c1::a9fe:a9fe]/', 'https://169.254.169.254/'],
    ...['https://224.0.0.1/', 'https://198.18.0.1/', 'https://203.0.113.1/'],
  ])('allow %s only on request', (url) => {
    expect(problemOf({ url })).toBe('privateAddressNotAllowed');
    expect(problemOf({ url, allowPrivateAddresses: true })).toBeUndefined();
  });

  it.each([
    [[]],
    [['']],
    [['whsec_']],
    [['secret']],
    [[`whsec_${Buffer.alloc(23).toString('base64')}`]],
    [[`whsec_${Buffer.alloc(65).toString('base64')}`]],
    [[secret, 'whsec_short']],
    [[secret, secret, secret, secret, secret]],
  ])('need secrets of 24 to 64 bytes, at most four: not %j', (secrets) => {
    expect(problemOf({ secrets })).toBe('invalidSecrets');
  });

  it('name an option that does not exist, and the nearest one', () => {
    const made = createWebhookHandler({ ...good, ...{ timeout: 1000 } });
    expect(made._unsafeUnwrapErr()).toEqual({
      kind: 'unknownOption',
      message: 'timeout: is no option; did you mean timeoutMs?',
    });
  });

  it.each<[unknown, string]>([
    [undefined, 'url: give an absolute https URL'],
    [{ secrets: [secret] }, 'url: give an absolute https URL'],
    [{ ...good, url: 7 }, 'url: give an absolute https URL'],
    [{ ...good, url: 'http://hooks.example/' }, 'url: use https and a public address'],
    [{ url: good.url }, 'secrets: give a list of 1 to 4 texts'],
    [{ ...good, secrets: secret }, 'secrets: give a list of 1 to 4 texts'],
    [{ ...good, secrets: [7] }, 'secrets: give a list of 1 to 4 texts'],
    [{ ...good, allowPrivateAddresses: 'false' }, 'allowPrivateAddresses: must be true or false.'],
    [{ ...good, timeoutMs: '15s' }, 'timeoutMs: give a whole number from 100 to 50000.'],
  ])('say what to do instead of %o: %s', (options, message) => {
    // cast: hosts without types may pass it
    const made = createWebhookHandler(options as WebhookOptions);
    expect(made._unsafeUnwrapErr().message).toContain(message);
  });

  it.each([0, 99, 50_001, 0.5, Number.NaN])('have no timeout of %d ms', (timeoutMs) => {
    expect(problemOf({ timeoutMs })).toBe('invalidTimeout');
  });

  it('never show a secret in their error', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 8 }), (text) => {
        const made = createWebhookHandler({ ...good, secrets: [`whsec_${text}`, text] });
        expect(JSON.stringify(made._unsafeUnwrapErr())).not.toContain(text);
      }),
    );
  });
});
