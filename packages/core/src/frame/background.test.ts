import { describe, expect, it } from 'vitest';
import { createBackground } from './perform.ts';

describe('the background', () => {
  it('begins no task before the caller is done', async () => {
    const background = createBackground(() => undefined);
    const steps: string[] = [];
    background.run(async () => {
      steps.push('task');
    });
    steps.push('answer');
    await background.settled();
    expect(steps).toEqual(['answer', 'task']);
  });

  it('is settled when the tasks of tasks are done, failed ones included, and tells what they threw', async () => {
    const thrown: unknown[] = [];
    const background = createBackground((error) => thrown.push(error));
    let done = 0;
    const nested = (depth: number) => async () => {
      if (depth > 0) background.run(nested(depth - 1));
      await Promise.resolve();
      done += 1;
      throw new Error('what a task throws is told');
    };
    background.run(nested(3));
    background.run(() => {
      throw new Error('at once, too');
    });
    await background.settled();
    expect(done).toBe(4);
    expect(thrown.map((error) => Object(error).message)).toEqual([
      'at once, too',
      ...Array(4).fill('what a task throws is told'),
    ]);
  });

  it('is not settled while a task that another began still waits', async () => {
    const background = createBackground(() => undefined);
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    const events: string[] = [];
    background.run(async () => {
      background.run(async () => {
        await gate;
        events.push('done');
      });
    });
    const settled = background.settled().then(() => events.push('settled'));
    for (let turn = 0; turn < 100; turn += 1) await Promise.resolve();
    expect(events).toEqual([]);
    open();
    await settled;
    expect(events).toEqual(['done', 'settled']);
  });

  it('is settled at once when no task runs', async () => {
    await expect(createBackground(() => undefined).settled()).resolves.toBeUndefined();
  });

  it('drops tasks beyond 256 at once, and accepts more afterwards (D63)', async () => {
    const background = createBackground(() => undefined);
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    let done = 0;
    const task = async () => {
      await gate;
      done += 1;
    };
    for (let i = 0; i < 300; i += 1) background.run(task);
    open();
    await background.settled();
    expect(done).toBe(256);
    background.run(task);
    await background.settled();
    expect(done).toBe(257);
  });

  it('hands each task to the host, which must not be able to stop it (D134)', async () => {
    const kept: Promise<void>[] = [];
    const background = createBackground(
      () => undefined,
      (task) => {
        kept.push(task);
        throw new Error('no request is under way');
      },
    );
    const steps: string[] = [];
    background.run(async () => void steps.push('task'));
    expect(kept).toHaveLength(1);
    await Promise.all(kept);
    expect(steps).toEqual(['task']);
  });
});
