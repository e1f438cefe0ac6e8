import {
  type Call,
  type Chairside,
  err,
  ok,
  type Problem,
  type Result,
  type ResultAsync,
  secondMs,
  systemClock,
} from '@chairside/core';
import {
  type Fault,
  fault,
  internalError,
  sha256Hex,
  tell,
  toProblem,
  unavailable,
} from '@chairside/core/ports';
import type { H3Event } from 'h3';
import { toAddresses } from './addresses.ts';
import { answer, answerProblem } from './answer.ts';
import { authenticateCall, readToken } from './authenticate.ts';
import { bodyTaken, readBody } from './body.ts';
import {
  type Exchange,
  isRequestId,
  newRequestId,
  openExchange,
  openUnknownExchange,
} from './exchange.ts';
import { inTime } from './in-time.ts';
import { beforeLookUp, type Input, isKeyRepeated, readIdempotencyKey, readInput } from './input.ts';
import { type ChairsideHandlerOptions, toLimitMs } from './options.ts';
import type { Route } from './route.ts';
import { createShutAddresses } from './shut-addresses.ts';

/** In bytes. A message may contain a dispute's evidence twice, in any alphabet. */
const maxEventLength = 1024 * 1024;

type Handle = (event: H3Event) => Promise<Response>;

/** Responds to requests of each type. Throws a TypeError for invalid options, so that a host finds mistakes at its start (D74). */
export function createService(chairside: Chairside, options: ChairsideHandlerOptions) {
  // Hosts without types may pass any value, such as a Promise.
  if (typeof chairside?.ports?.clock?.now !== 'function') {
    throw new TypeError('chairside: must be what createChairside returns');
  }
  const { authenticate } = options;
  if (typeof authenticate !== 'function') throw new TypeError('authenticate: must be a function');
  const authenticateDeadlineMs = toLimitMs(
    'authenticateDeadlineMs',
    options.authenticateDeadlineMs,
    5000,
  );
  const clientAddress = options.clientAddress ?? (({ req }: H3Event) => req.ip);
  const shut = createShutAddresses(chairside.ports.clock);
  const responder = createResponder(chairside, options);
  const { open, endOf, respond, refuseIn, report, fail } = responder;

  return { ...responder, serve, receiveEvent, run, only, turnAway };

  /** Runs a row's operation, in D11's order: the body's length, the caller, the input; the core does the rest. */
  function serve(row: Route): Handle {
    // cast: `route` has compared what the row gives with what the operation takes
    const operate = chairside[row.operation] as (
      call: Exchange,
      input: Input,
    ) => ResultAsync<unknown, Problem>;

    return async (event) => {
      const exchange = open(event);
      const key = row.idempotencyKey === undefined ? undefined : readIdempotencyKey(event);
      const isKeyed = key !== undefined;
      const body = await readBody(event.req);
      if (body.isErr() && body.error !== bodyTaken) {
        return refuseIn(exchange, beforeLookUp(body.error, isKeyed));
      }

      const read = readToken(event.req.headers.get('authorization'));
      const tokenHash = typeof read === 'object' ? sha256Hex(read.token) : undefined;
      const shutAddress = shut.find(tokenHash, () => clientAddress(event));
      if (shutAddress !== undefined) {
        const call: Call = {
          auth: 'rejectedToken',
          clientAddress: shutAddress,
          requestId: exchange.requestId,
          instance: exchange.instance,
          facts: exchange.facts,
        };
        const refused = chairside.transport.refuse(row.operation, call, cannotAuthenticate, key);
        const counted = await endOf(refused, exchange);
        // The limiter may have failed (D31) or forgotten the address; then the token decides.
        if (counted.isOk() || counted.error.type !== 'unauthorized') {
          return respond(exchange, counted, row);
        }
      }
      const caller = await authenticateCall(read, event.req, authenticate, authenticateDeadlineMs);
      if (caller.isErr()) {
        report(caller.error.cause, exchange);
        return refuseIn(exchange, beforeLookUp(cannotAuthenticate, isKeyed));
      }
      exchange.auth = caller.value;
      // Only callers that fail to authenticate are counted by address. A token that was valid is no guess, and gets
      // the 401 by which a phone refreshes it.
      const isCounted = typeof caller.value !== 'object' && !shut.forget(tokenHash);
      const failed = isCounted ? clientAddress(event) : undefined;
      // A shut address was counted above.
      if (failed !== undefined && shutAddress === undefined) exchange.clientAddress = failed;
      if (typeof caller.value === 'object' && tokenHash !== undefined) {
        shut.admit(tokenHash, caller.value.subject);
      }

      if (body.isErr()) report(new Error(bodyTaken.detail), exchange);
      const input = body.isErr() ? err(body.error) : readInput(row, event, body.value);
      const ending = input.isOk()
        ? operate(exchange, input.value)
        : chairside.transport.refuse(
            row.operation,
            exchange,
            isKeyRepeated(event) ? beforeLookUp(input.error, isKeyed) : input.error,
            key,
          );
      const outcome = row.method === 'GET' ? 'notApplied' : 'unknown';
      const ended = await endOf(ending, exchange, outcome);
      if (failed !== undefined && ended.isErr()) shut.note(failed, ended.error);
      return respond(exchange, ended, row);
    };
  }

  /** Handles a message of the processor, which its signature authenticates (D25). */
  async function receiveEvent(event: H3Event): Promise<Response> {
    const exchange = open(event);
    const body = await readBody(event.req, maxEventLength);
    if (body.isErr()) {
      if (body.error === bodyTaken) report(new Error(bodyTaken.detail), exchange);
      return refuseIn(exchange, body.error);
    }
    const payload = textOf(body.value);
    if (payload.isErr()) return refuseIn(exchange, payload.error);
    const message = { payload: payload.value, headers: Object.fromEntries(event.req.headers) };
    const ending = chairside.receiveProcessorEvent(message, exchange);
    return respond(exchange, await endOf(ending, exchange));
  }

  /** Runs a use case of the host's, which has no route in the interface. */
  async function run(event: H3Event, act: () => ResultAsync<unknown, Problem>): Promise<Response> {
    const exchange = open(event);
    return respond(exchange, await endOf(act(), exchange));
  }

  /** A handler for a path that the host chooses. It rejects other methods, and never throws. */
  function only(methods: readonly string[], handle: Handle): Handle {
    const wrong = fault('methodNotAllowed', `Use ${methods.join(' or ')}.`);
    return async (event) => {
      try {
        return methods.includes(event.req.method)
          ? await handle(event)
          : await turnAway(event, wrong, methods.join(', '));
      } catch (thrown) {
        return fail(thrown, event);
      }
    };
  }

  /** Rejects a request that belongs to no operation. `allow` names the path's methods. */
  async function turnAway(event: H3Event, found: Fault, allow?: string): Promise<Response> {
    const exchange = open(event);
    const body = await readBody(event.req);
    return body.isErr() && body.error !== bodyTaken
      ? refuseIn(exchange, beforeLookUp(body.error, readIdempotencyKey(event) !== undefined))
      : refuseIn(exchange, found, allow);
  }
}

/** Makes the responses of a service, whatever fails. */
function createResponder(chairside: Chairside, options: ChairsideHandlerOptions) {
  const { onFailure } = options;
  const responseDeadlineMs = toLimitMs(
    'responseDeadlineMs',
    options.responseDeadlineMs,
    90 * secondMs,
  );
  const addresses = toAddresses(options);

  return { open, endOf, respond, refuseIn, report, refuse, problemResponse, fail };

  function open(event: H3Event): Exchange {
    return openExchange(event, addresses, nameRequest);
  }

  /** Hosts without types may return any id. */
  function nameRequest(): string {
    const own = newRequestId();
    const id: unknown = options.newRequestId === undefined ? own : options.newRequestId();
    if (isRequestId(id)) return id;
    const expected = '1 to 128 letters, digits, `.`, `_` and `-`';
    tell(onFailure, new TypeError(`newRequestId: must return ${expected}`), own);
    return own;
  }

  /**
   * A port that never replies must not leave the client without a response (D146).
   * @param outcome of a call that takes too long.
   */
  async function endOf(
    ending: ResultAsync<unknown, Problem>,
    exchange: Exchange,
    outcome: 'notApplied' | 'unknown' = 'unknown',
  ): Promise<Result<unknown, Problem>> {
    try {
      return await inTime(ending, responseDeadlineMs, 'the operation took more than');
    } catch (late) {
      report(late, exchange);
      return err(problemOf(exchange, unavailable('The operation is not finished yet.', outcome)));
    }
  }

  function respond(
    exchange: Exchange,
    result: Result<unknown, Problem>,
    row: Pick<Route, 'status' | 'location'> = { status: 200 },
  ): Response {
    return result.isOk()
      ? answer(exchange, row, result.value, addresses)
      : answerProblem(exchange, result.error, addresses);
  }

  function refuseIn(exchange: Exchange, found: Fault, allow?: string): Response {
    return answerProblem(exchange, problemOf(exchange, found), addresses, allow);
  }

  /** The response is a problem even if the host's clock or ids fail. */
  function problemOf(exchange: Exchange, found: Fault): Problem {
    try {
      return chairside.transport.problem(found, exchange);
    } catch (thrown) {
      report(thrown, exchange);
      const newId = () => `prb_${crypto.randomUUID()}`;
      return toProblem(found, { newId, at: systemClock.now() });
    }
  }

  function refuse(found: Fault, path?: string): Response {
    return refuseIn(openUnknownExchange(addresses, path), found);
  }

  function problemResponse(problem: Problem): Response {
    return answerProblem(openUnknownExchange(addresses), problem, addresses);
  }

  function fail(thrown: unknown, event: H3Event): Response {
    // The host's `newRequestId` may be the function that failed.
    const exchange = openExchange(event, addresses, newRequestId);
    report(thrown, exchange);
    return refuseIn(exchange, internalError());
  }

  function report(thrown: unknown, { requestId }: Exchange): void {
    tell(onFailure, thrown, requestId);
  }
}

// A signature covers bytes, so none may be replaced or dropped, not even a byte order mark.
const exactUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function textOf(bytes: Uint8Array): Result<string, Fault<'badRequest'>> {
  try {
    return ok(exactUtf8.decode(bytes));
  } catch {
    return err(fault('badRequest', 'The message is not in UTF-8.'));
  }
}

const cannotAuthenticate = unavailable(
  'The access token cannot be checked at the moment.',
  'notApplied',
);
