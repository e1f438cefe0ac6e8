/** A request as bytes for a socket, with a check of its response. */
export interface Request {
  readonly text: string;
  readonly status: number;
  /** The response must contain this text. */
  readonly holds: string;
  /** The bearer of this token captures the opened payment next, on the same connection. */
  readonly captureAs?: string;
}

interface Parts {
  readonly method?: 'GET' | 'POST';
  readonly path: string;
  readonly token?: string;
  readonly key?: string;
  readonly body?: string;
  readonly status?: number;
  readonly holds: string;
  readonly captureAs?: string;
}

export function request({
  method = 'POST',
  path,
  token,
  key,
  body,
  status,
  holds,
  captureAs,
}: Parts): Request {
  const lines = [
    `${method} ${path} HTTP/1.1`,
    'host: 127.0.0.1',
    ...(token === undefined ? [] : [`authorization: Bearer ${token}`]),
    ...(key === undefined ? [] : [`idempotency-key: ${key}`]),
    ...(body === undefined
      ? []
      : ['content-type: application/json', `content-length: ${Buffer.byteLength(body)}`]),
  ];
  return {
    text: `${lines.join('\r\n')}\r\n\r\n${body ?? ''}`,
    status: status ?? 200,
    holds,
    ...(captureAs !== undefined && { captureAs }),
  };
}
