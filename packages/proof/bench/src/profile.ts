import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';

/** Writes a CPU profile of the work to the file, if one is given. */
export async function profiled<T>(file: string | undefined, work: () => Promise<T>): Promise<T> {
  if (file === undefined) return work();
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.start');
  const result = await work();
  const { profile } = await session.post('Profiler.stop');
  writeFileSync(file, JSON.stringify(profile));
  return result;
}
