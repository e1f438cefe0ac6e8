import { errAsync, okAsync } from '@chairside/core';
import type { Processor, ProcessorError } from '@chairside/core/ports';
import type { Fault } from '@chairside/spec/run-suite';
import type { ProcessorHarness } from '@chairside/testkit/contracts';
import type { Fetch } from '../../src/connection.ts';
import { harness, type Right } from '../harness.ts';
import type { Tally } from '../tally/tally.ts';

/** An adapter with one fault, and the cases of the contract that must fail over it. */
export interface WrongProcessor extends Fault {
  readonly open: () => ProcessorHarness;
}

/** Some members of the adapter do something else. */
export function wrapping(
  wrongly: (right: Right, tally: Tally) => Partial<Processor>,
): () => ProcessorHarness {
  return () => harness((right, tally) => ({ ...right, ...wrongly(right, tally) }));
}

/** The same for its refunds. */
export function refunding(
  wrongly: (right: Right['refunds'], tally: Tally) => Partial<Right['refunds']>,
): () => ProcessorHarness {
  return wrapping(({ refunds }, tally) => ({
    refunds: { ...refunds, ...wrongly(refunds, tally) },
  }));
}

export type Json = Readonly<Record<string, unknown>>;

export interface WireRequest {
  readonly method: string;
  readonly url: URL;
  readonly body?: Json;
  readonly requestId?: string;
}

export interface WireReply {
  readonly status: number;
  readonly body: Json;
}

/** The adapter writes or reads its requests in another way. */
export function overWire(
  wrongly: (
    request: WireRequest,
    send: (request: WireRequest) => Promise<WireReply>,
    tally: Tally,
  ) => Promise<WireReply>,
): () => ProcessorHarness {
  const intercept =
    (tally: Tally): Fetch =>
    async (address, { method = 'GET', body, headers, signal = null }) => {
      let date = '';
      const send = async (request: WireRequest): Promise<WireReply> => {
        const given = new Headers(headers);
        given.delete('request-id');
        if (request.requestId !== undefined) given.set('request-id', request.requestId);
        const text = request.body === undefined ? {} : { body: JSON.stringify(request.body) };
        const init = { method, headers: given, signal, ...text };
        const response = await tally.fetch(request.url.href, init);
        date = response.headers.get('date') ?? '';
        const json: Json = JSON.parse(await response.text());
        return { status: response.status, body: json };
      };
      const requestId = new Headers(headers).get('request-id');
      const request: WireRequest = {
        method,
        url: new URL(address),
        ...(typeof body === 'string' && { body: JSON.parse(body) }),
        ...(requestId !== null && { requestId }),
      };
      const reply = await wrongly(request, send, tally);
      return Response.json(reply.body, { status: reply.status, headers: { date } });
    };
  return () => harness(undefined, intercept);
}

/** Takes an error for another one. */
export const mistaking =
  (change: (error: ProcessorError) => ProcessorError) => (error: ProcessorError) =>
    errAsync(change(error));

const isUnknown = (error: ProcessorError) =>
  error.kind === 'unavailable' && error.outcome === 'unknown';

/** Calls every call without an answer not applied. */
export const notApplied = mistaking((error) =>
  isUnknown(error) ? { kind: 'unavailable', outcome: 'notApplied', answered: false } : error,
);

/** Answers undefined where the call failed. */
export const nothing = () => okAsync(undefined);
