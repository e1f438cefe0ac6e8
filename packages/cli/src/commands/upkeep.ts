import { setTimeout } from 'node:timers/promises';
import { type EventHandler, err, ok, secondMs, type UpkeepReport } from '@chairside/core';
import { type Context, command, type Report } from '../command.ts';
import { checkRestored } from '../doctor/restored.ts';
import type { Screen } from '../screen.ts';
import { countText, timeText } from '../words.ts';
import { problemText } from './reviews.ts';

const usualSeconds = 20;
/** Below the minute after which Chairside may deliver an event again. */
const longestHandlingMs = 30 * secondMs;

export const upkeep = command({
  name: 'upkeep',
  summary: 'finishes what is unfinished, and delivers events: one run, or a loop',
  options: {
    watch: { type: 'boolean', help: 'goes on until Ctrl-C, with a line for each run' },
    every: {
      type: 'string',
      value: 'SECONDS',
      help: `the pause between two runs; default: ${usualSeconds}`,
    },
  },
  question: ({ watch = false }) =>
    `Run upkeep${watch ? ' until Ctrl-C' : ''}? It finishes payments at the processor, and delivers events.`,
  async run(context, { watch = false, every = `${usualSeconds}` }) {
    const pauseMs = Number(every) * secondMs;
    if (!(pauseMs >= secondMs && pauseMs <= 3600 * secondMs)) {
      return err('--every takes a number of seconds from 1 to 3600.');
    }
    let needsPerson = false;
    for (;;) {
      const report = await runOnce(context);
      if (!watch) return report;
      // A run that failed may succeed the next time: the loop goes on.
      const line = report.isOk() ? report.value : failed(report.error);
      needsPerson ||= line.needsPerson;
      context.print(line);
      if (!(await context.wait(pauseMs))) {
        return ok({ document: { ended: true }, needsPerson, draw: () => undefined });
      }
    }
  },
});

/**
 * A handler that hangs must neither hold up all payments nor keep the person from ending the loop. Its event is
 * delivered again.
 */
function inTime(handle: EventHandler, signal: AbortSignal): EventHandler {
  return async (event) => {
    const handled = new AbortController();
    const over = AbortSignal.any([signal, handled.signal]);
    const late = setTimeout(longestHandlingMs, undefined, { signal: over }).then(() => {
      throw new Error(`The handler hangs with ${event.type} of ${event.subject}.`);
    });
    // A handler without types may throw at once, or return nothing to wait for.
    await Promise.race([late, (async () => handle(event))()]).finally(() => handled.abort());
  };
}

async function runOnce(context: Context) {
  const { opened, chairside, during, signal } = context;
  const deliver = opened.deliver && inTime(opened.deliver, signal);
  const ran = await during('running upkeep', chairside.upkeep({ deliver }));
  const at = chairside.ports.clock.now();
  if (ran.isErr()) return err(problemText(ran.error));
  const report = ran.value;
  // The processor may be down or refuse an account, and then nothing is due at once.
  const found = await during('asking the database', checkRestored(context));
  const closed = found.filter(({ level }) => level === 'error');
  const lines: Report = {
    document: { at: new Date(at).toISOString(), ...report, closed },
    needsPerson: report.needReview.length + closed.length > 0,
    draw(screen: Screen) {
      const isFine = report.unsettled === 0 && report.failed === 0;
      screen.line(`${timeText(at)}  ${sentence(report)}`, isFine ? 'plain' : 'warning');
      if (report.needReview.length > 0) {
        const count = report.needReview.length;
        const verb = count === 1 ? 'needs' : 'need';
        screen.line(`${countText(count, 'review')} ${verb} a person: chairside reviews`, 'bad');
      }
      for (const { about, found, action } of closed) {
        screen.line(`${about}: ${found}`, 'bad');
        screen.line(`→ ${action}`);
      }
      if (deliver === undefined) {
        screen.line('Events were not delivered: the configuration has no `deliver`.', 'faint');
      }
    },
  };
  return ok(lines);
}

function failed(why: string): Report {
  return {
    document: { failed: why },
    needsPerson: false,
    draw: (screen) => screen.line(why, 'bad'),
  };
}

function sentence(report: UpkeepReport): string {
  const parts = [
    `${report.looked} checked`,
    ...(report.unsettled > 0 ? [`${report.unsettled} not settled yet`] : []),
    ...(report.orphansCanceled > 0 ? [`${report.orphansCanceled} orphans canceled`] : []),
    `${report.delivered} events delivered`,
    ...(report.failed > 0 ? [`${report.failed} rejected by the handler`] : []),
    ...(report.more ? ['more is due'] : []),
  ];
  return parts.join(', ');
}
