import type { SdkError } from '@chairside/client/stripe-terminal';
import { expect, it } from 'vitest';
import { findMissing, missingWords } from '../app/readiness.ts';

const error = (code: string, nativeErrorCode = '', message = ''): SdkError => ({
  code,
  nativeErrorCode,
  message,
});
const expired = 'Expired API Key provided: pss_live_YW.';

const phone = {
  sdk: undefined,
  connect: async () => false,
  refused: () => undefined,
  isUnregistered: () => false,
};
it.each([
  [error('UNSUPPORTED_OPERATION', '2900'), 'restart'],
  [error('INVALID_REQUIRED_PARAMETER', '1921'), 'app'],
  [error('INVALID_REQUIRED_PARAMETER', '3960'), 'shop'],
  [error('UNSUPPORTED_OPERATION', '2930'), 'call'],
  [{ ...error('UNSUPPORTED_OPERATION'), underlyingError: { code: '2910' } }, 'device'],
  [error('TAP_TO_PAY_UNSUPPORTED_DEVICE'), 'device'],
  [error('TAP_TO_PAY_UNSUPPORTED_ANDROID_VERSION'), 'system'],
  [error('TAP_TO_PAY_INSECURE_ENVIRONMENT'), 'developer'],
  [error('READER_SOFTWARE_UPDATE_FAILED', 'TapToPayReaderTOSNotYetAccepted'), 'terms'],
  [error('CANCELED', '2970'), 'terms'],
  [error('LOCATION_SERVICES_DISABLED'), 'location'],
  [error('BLUETOOTH_PERMISSION_DENIED'), 'bluetooth'],
  [error('TAP_TO_PAY_NFC_DISABLED'), 'nfc'],
  [error('TAP_TO_PAY_READER_MERCHANT_BLOCKED'), 'blocked'],
  [error('STRIPE_API_CONNECTION_ERROR'), 'offline'],
  [error('CONNECTION_TOKEN_PROVIDER_ERROR'), 'token'],
  [error('SESSION_EXPIRED'), 'disconnected'],
  [error('SESSION_EXPIRED', '', expired), 'disconnected'],
  [error('DECLINED_BY_STRIPE_API', '', expired), 'disconnected'],
  [error('DECLINED_BY_STRIPE_API', '', 'You did not provide an API key.'), 'restart'],
  [{ ...error('DECLINED_BY_STRIPE_API'), apiError: { type: 'card_error' } }, 'declined'],
  [{ ...error('DECLINED_BY_STRIPE_API'), apiError: { type: 'INVALID_REQUEST_ERROR' } }, 'failed'],
  [error('BRAND_NEW'), 'unknown'],
] as const)('reads %j as %s, with words for the barber', async (refused, missing) => {
  expect(await findMissing({ ...phone, refused: () => refused })).toEqual([missing]);
  expect(missingWords[missing]).toMatch(/\.$/);
});

const supports = (readerSupportResult: boolean, why?: SdkError) => ({
  supportsReadersOfType: async () => ({ readerSupportResult, ...(why && { error: why }) }),
});

it.each([
  ['a connected reader', { connect: async () => true }, []],
  ['a refused permission', { refused: () => error('MISSING_PREREQUISITE') }, ['permission']],
  ['an unsupported phone', { sdk: supports(false) }, ['device']],
  [
    'an old system',
    { sdk: supports(false, error('TAP_TO_PAY_UNSUPPORTED_ANDROID_VERSION')) },
    ['system'],
  ],
  [
    'terms that are not accepted',
    { sdk: supports(true), refused: () => error('CANCELED', '3930') },
    ['terms'],
  ],
  ['a phone that the service refused', { isUnregistered: () => true }, ['shop']],
  ['no reason', {}, ['unknown']],
  [
    'an SDK that was never initialized',
    {
      sdk: { supportsReadersOfType: () => Promise.reject(new Error('First initialize.')) },
      refused: () => error('CONNECTION_TOKEN_PROVIDER_ERROR'),
    },
    ['token'],
  ],
] as const)('finds what is missing with %s', async (_, change, missing) => {
  expect(await findMissing({ ...phone, ...change })).toEqual(missing);
});
