import { fork } from 'node:child_process';
import { once } from 'node:events';

/** Runs a file of this package in a separate process, which receives a task and returns a result. */
export async function askChild<Task, Answer>(file: URL, task: Task & object): Promise<Answer> {
  const child = fork(file, { execArgv: [], serialization: 'advanced' });
  try {
    child.send(task);
    const answer = once(child, 'message');
    const gone = once(child, 'exit').then(([code]) => {
      throw new Error(`${file.pathname} ended with ${code} and without an answer`);
    });
    const [message] = await Promise.race([answer, gone]);
    return message as Answer; // cast: the child runs the same version of this code
  } finally {
    child.kill();
  }
}

/** The child's side: does the task and ends. */
export async function answerParent<Task, Answer>(
  work: (task: Task) => Promise<Answer>,
): Promise<void> {
  process.on('disconnect', () => process.exit());
  const [task] = await once(process, 'message');
  const answer = await work(task as Task); // cast: as above
  process.send?.(answer, () => process.exit());
}
