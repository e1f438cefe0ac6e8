import { err, ok, Result } from '@chairside/core';
import { badRequest, type Fault, fault, fieldFault } from '@chairside/core/ports';
import { maxBodyLength } from '@chairside/h3';
import type { H3Event } from 'h3';
import * as v from 'valibot';

/** Reads the body of a route of the demo. */
export async function readJson<S extends v.GenericSchema>(
  { req }: H3Event,
  schema: S,
): Promise<Result<v.InferOutput<S>, Fault>> {
  if (!/^application\/json\b/i.test(req.headers.get('content-type') ?? '')) {
    return err(fault('unsupportedMediaType', 'Send the body as Content-Type: application/json.'));
  }
  const body = await readStart(req);
  if (body.length > maxBodyLength) {
    return err(fault('contentTooLarge', `The body may have at most ${maxBodyLength} bytes.`));
  }
  return Result.fromThrowable(
    (): unknown => JSON.parse(body.toString()),
    () => badRequest([fieldFault('', 'The body is not JSON.')]),
  )().andThen((json) => {
    const parsed = v.safeParse(schema, json);
    return parsed.success ? ok(parsed.output) : err(badRequest(parsed.issues.map(issueFault)));
  });
}

/** The body, or its first bytes: one more than the limit, which tells that it is too long. */
export async function readStart({ body }: Pick<Request, 'body'>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > maxBodyLength) break;
  }
  return Buffer.concat(chunks).subarray(0, maxBodyLength + 1);
}

function issueFault(issue: v.BaseIssue<unknown>): Fault<'badRequest'> {
  const pointer = (issue.path ?? []).map(({ key }) => `/${key}`).join('');
  return fieldFault(pointer, `${pointer || 'The body'} ${reason(issue)}.`);
}

function reason(issue: v.BaseIssue<unknown>): string {
  if (issue.kind === 'validation') return issue.message;
  if (issue.expected === 'never') return 'is not a known property';
  return issue.received === 'undefined' ? 'is required' : `must be ${issue.expected}`;
}
