import { fork, type Serializable } from 'node:child_process';
import { once } from 'node:events';

/** Starts a file of this package as a process of its own, which replies to each message. */
export function startChild(file: URL, execArgv: string[] = []) {
  const child = fork(file, { execArgv, serialization: 'advanced' });
  const gone = once(child, 'exit').then(([code]) => {
    throw new Error(`${file.pathname} ended with ${code} and without a reply`);
  });
  // Handled only while a reply is awaited.
  gone.catch(() => {});
  return {
    async ask<Reply>(message: Serializable): Promise<Reply> {
      child.send(message);
      const [reply] = await Promise.race([once(child, 'message'), gone]);
      return reply as Reply; // cast: the child runs the same version of this code
    },
    stop: () => void child.kill(),
  };
}

/** Starts a child for one task. */
export async function askChild<Reply>(file: URL, task: Serializable): Promise<Reply> {
  const child = startChild(file);
  try {
    return await child.ask<Reply>(task);
  } finally {
    child.stop();
  }
}

/** The child's side. A rejection ends the process, which the parent reports. */
export function answerParent<Message>(reply: (message: Message) => Promise<unknown>): void {
  process.on('disconnect', () => process.exit());
  process.on('message', async (message) => {
    process.send?.(await reply(message as Message)); // cast: as above
  });
}
