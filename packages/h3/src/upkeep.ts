import { type Chairside, type InputOf, secondMs } from '@chairside/core';
import { fault } from '@chairside/core/ports';
import type { H3Event } from 'h3';
import { readToken } from './authenticate.ts';
import { checkNames, toLimitMs } from './options.ts';
import { type ProcessorEventsOptions, processorEventsOptions } from './processor-events.ts';
import { createService } from './service.ts';

export interface UpkeepHandlerOptions extends ProcessorEventsOptions, InputOf<'upkeep'> {
  /** The scheduler sends it as its bearer token. At least 16 letters, digits or `-._~+/`. */
  readonly secret: string;
}

const upkeepOptions: Readonly<Record<keyof UpkeepHandlerOptions, true>> = {
  ...processorEventsOptions,
  secret: true,
  deliver: true,
  forMs: true,
};
const minSecretLength = 16;
/** After `forMs` no further round begins; the last one has this long to end. */
const lastRoundMs = 10 * secondMs;

/**
 * Runs `upkeep` when a scheduler calls, with GET or POST, at a path of the host's own choice:
 * `app.all('/upkeep', upkeepHandler(chairside, { secret, deliver }))`.
 * Responds 200 with the report, or a problem; the scheduler need not look at either. Its
 * `responseDeadlineMs` is `forMs` and 10 seconds by default: a port that hangs does not hold the
 * scheduler for longer. Throws a TypeError unless `forMs` is less than `responseDeadlineMs`.
 */
export function upkeepHandler(
  chairside: Chairside,
  options: UpkeepHandlerOptions,
): (event: H3Event) => Promise<Response> {
  checkNames(options, upkeepOptions);
  const { secret, deliver, forMs = 20 * secondMs } = options;
  if (typeof secret !== 'string' || secret.length < minSecretLength) {
    throw new TypeError(`secret: must have at least ${minSecretLength} characters`);
  }
  const sent = readToken(`Bearer ${secret}`);
  if (typeof sent !== 'object' || sent.token !== secret) {
    throw new TypeError('secret: may have only letters, digits and -._~+/, with = at its end');
  }
  const deadlineMs = toLimitMs(
    'responseDeadlineMs',
    options.responseDeadlineMs,
    forMs + lastRoundMs,
  );
  if (!(forMs < deadlineMs)) {
    throw new TypeError(`forMs: must be less than responseDeadlineMs, ${deadlineMs}`);
  }
  const service = createService(chairside, {
    ...options,
    responseDeadlineMs: deadlineMs,
    authenticate: () => undefined,
  });
  const wanted = digest(secret);

  return service.only(['GET', 'POST'], async (event) => {
    const read = readToken(event.req.headers.get('authorization'));
    if (read === undefined) return service.turnAway(event, noSecret);
    const isKnown = read !== 'malformed' && (await isSame(read.token, await wanted));
    return isKnown
      ? service.run(event, () => chairside.upkeep({ deliver, forMs }))
      : service.turnAway(event, wrongSecret);
  });
}

const noSecret = fault('unauthorized', 'Send the secret: Authorization: Bearer <SECRET>.', {
  recovery: { outcome: 'notApplied', retry: 'retrySameRequest', sessionAction: 'signIn' },
});
const wrongSecret = fault('unauthorized', 'The token is not the secret of the scheduler.', {
  recovery: { outcome: 'notApplied', retry: 'retrySameRequest', sessionAction: 'refresh' },
});

/** Digests have one length, so that the time of a comparison reveals no part of the secret. */
async function isSame(token: string, wanted: Uint8Array): Promise<boolean> {
  const given = await digest(token);
  return given.reduce((differences, byte, at) => differences | (byte ^ (wanted[at] ?? 0)), 0) === 0;
}

async function digest(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
}
