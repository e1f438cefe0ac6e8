import { createHmac, timingSafeEqual } from 'node:crypto';
import { type EpochMs, err, minuteMs, ok, type Result, secondMs } from '@chairside/core';
import type { RawEvent } from '@chairside/core/ports';
import type { Rejection } from './errors.ts';

/** `t=<unix seconds>,v1=<HMAC-SHA256 of "<t>.<payload>" in hex>` */
export const signatureHeader = 'fake-signature';

/** The maximum difference between a signature's time and now, in both directions. */
export const signatureToleranceMs = 5 * minuteMs;

export function sign(payload: string, secret: string, at: EpochMs): RawEvent {
  const seconds = `${Math.floor(at / secondMs)}`;
  const value = `t=${seconds},v1=${codeOf(seconds, payload, secret)}`;
  return { payload, headers: { [signatureHeader]: value } };
}

/** Returns the payload if this secret signed it recently. */
export function verify(
  { payload, headers }: RawEvent,
  secret: string,
  now: EpochMs,
): Result<string, Rejection> {
  const [, seconds = '', code = ''] =
    /^t=(\d{1,12}),v1=([0-9a-f]+)$/.exec(headers[signatureHeader] ?? '') ?? [];
  if (!isSame(code, codeOf(seconds, payload, secret))) return err('badSignature');
  const ageMs = now - Number(seconds) * secondMs;
  return Math.abs(ageMs) > signatureToleranceMs ? err('staleSignature') : ok(payload);
}

function codeOf(seconds: string, payload: string, secret: string): string {
  return createHmac('sha256', secret).update(`${seconds}.${payload}`).digest('hex');
}

/** Compares in constant time, so that the duration reveals no part of the code. */
function isSame(given: string, expected: string): boolean {
  return (
    given.length === expected.length && timingSafeEqual(Buffer.from(given), Buffer.from(expected))
  );
}
