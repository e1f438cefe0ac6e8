interface Message {
  /** Its place in the reply, from 0. */
  readonly index: number;
  readonly bytes: Buffer;
}

/** Splits a server's bytes into messages, and counts them. */
export interface ReplyCounter {
  read(data: Buffer): readonly Message[];
  count(): number;
}

/** @param lengthOf if omitted, each chunk is a message. */
export function createReplyCounter(
  lengthOf: ((unread: Buffer) => number | undefined) | undefined,
): ReplyCounter {
  let unread = Buffer.alloc(0);
  let count = 0;

  function next(bytes: Buffer): Message {
    count += 1;
    return { index: count - 1, bytes };
  }

  return {
    read(data) {
      if (lengthOf === undefined) return [next(data)];
      const messages: Message[] = [];
      unread = Buffer.concat([unread, data]);
      for (;;) {
        const length = lengthOf(unread);
        if (length === undefined || unread.length < length) return messages;
        messages.push(next(unread.subarray(0, length)));
        unread = unread.subarray(length);
      }
    },
    count: () => count,
  };
}
