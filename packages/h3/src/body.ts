import { err, ok, type Result } from '@chairside/core';
import { doNotRetry, type Fault, type FaultOf, fault } from '@chairside/core/ports';
import type { H3Event } from 'h3';

/** Bytes (D33). */
export const maxBodyLength = 16 * 1024;

type Request = H3Event['req'];
type NodeRequest = NonNullable<NonNullable<Request['runtime']>['node']>['req'];
type Body = Result<Uint8Array, FaultOf<'contentTooLarge' | 'badRequest' | 'internalError'>>;

const noBody: Body = ok(new Uint8Array());

/** A parsed body is rejected: its depth, unknown members and bytes cannot be checked any more. */
export const bodyTaken: Fault<'internalError'> = fault(
  'internalError',
  'A middleware of the host has already read the body: mount Chairside before it.',
  { recovery: doNotRetry },
);
const takenBody: Body = err(bodyTaken);

/**
 * Reads the whole body and counts its bytes, because Content-Length may be wrong.
 * @param maxLength in bytes.
 */
export function readBody(request: Request, maxLength = maxBodyLength): Body | Promise<Body> {
  if (Number(request.headers.get('content-length') ?? 0) > maxLength) return tooLarge(maxLength);
  const node = request.runtime?.node?.req;
  // Every byte has arrived and the stream is empty: a middleware has read them.
  if (node?.readableEnded === true) return isEmpty(node) ? noBody : takenBody;
  // Node's stream belongs to its first reader, which passes the body on as a web stream.
  return node === undefined || node.readableFlowing !== null
    ? readStream(request, node, maxLength)
    : readNode(node, maxLength);
}

function isEmpty({ headers }: NodeRequest): boolean {
  return headers['transfer-encoding'] === undefined && !(Number(headers['content-length']) > 0);
}

/**
 * Reads a body by Node's events, by far the fastest way, and the only one for the body of a GET.
 */
function readNode(request: NodeRequest, maxLength: number): Body | Promise<Body> {
  const { headers, httpVersionMajor } = request;
  const isAnnounced = 'content-length' in headers || 'transfer-encoding' in headers;
  if (httpVersionMajor === 1 && !isAnnounced) return noBody;
  if (request.destroyed) return incomplete();

  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const finish = (body: Body) => {
      request.off('data', onData).off('end', onEnd).off('error', onLost).off('close', onLost);
      resolve(body);
    };
    const onData = (chunk: Buffer) => {
      length += chunk.length;
      chunks.push(chunk);
      if (length > maxLength) finish(tooLarge(maxLength));
    };
    const onEnd = () => finish(ok(Buffer.concat(chunks)));
    const onLost = () => finish(incomplete());
    request.on('data', onData).on('end', onEnd).on('error', onLost).on('close', onLost);
  });
}

async function readStream(
  request: Request,
  node: NodeRequest | undefined,
  maxLength: number,
): Promise<Body> {
  if (request.bodyUsed) return takenBody;
  const reader = request.body?.getReader();
  if (reader === undefined) return noBody;
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return ok(concat(chunks, length));
      length += value.length;
      chunks.push(value);
      if (length > maxLength) {
        reader.cancel().catch(() => {}); // The response does not wait for the sender to notice.
        return tooLarge(maxLength);
      }
    }
  } catch {
    return node?.complete === true ? takenBody : incomplete();
  }
}

function concat(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

function tooLarge(maxLength: number): Body {
  return err(fault('contentTooLarge', `The body may have at most ${maxLength} bytes.`));
}

function incomplete(): Body {
  return err(fault('badRequest', 'The body ended before it was complete.'));
}
