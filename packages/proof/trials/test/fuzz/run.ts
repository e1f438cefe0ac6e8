import { connect } from 'node:net';
import { type ProblemType, problemTypes } from '@chairside/core';
import { problemSchema } from '@chairside/core/ports';
import { buildOpenApi } from '@chairside/h3';
import { createContract, type GivenAnswer } from '@chairside/spec/contract';
import * as v from 'valibot';
import { generate, type Sketch, served } from './generate.ts';
import { type Lane, openLane, problemBase } from './lane.ts';
import { createRandom } from './random.ts';

export interface FuzzOptions {
  readonly requests: number;
  readonly seed: number;
  readonly onProgress?: (report: FuzzReport) => void;
}

export interface FuzzReport {
  sent: number;
  /** Requests whose connection was closed without a response. */
  unanswered: number;
  readonly byStatus: Record<string, number>;
  /** The violations, each with its request. */
  readonly faults: string[];
}

/** Lanes share no state. Several keep the machine busy while one waits for its disk. */
const lanes = 8;
const maxFaults = 20;

/** Sends malformed requests over real sockets. The same seed sends the same requests. */
export async function fuzz({ requests, seed, onProgress }: FuzzOptions): Promise<FuzzReport> {
  const report: FuzzReport = { sent: 0, unanswered: 0, byStatus: {}, faults: [] };
  const share = Math.ceil(requests / lanes);
  await Promise.all(
    Array.from({ length: lanes }, async (_, index) => {
      // One of them has rate limits.
      const lane = await openLane({ isLimited: index === 0 });
      try {
        const random = createRandom(seed * lanes + index);
        for (let i = 0; i < share && report.faults.length < maxFaults; i += 1) {
          await lane.turn();
          const sketch = generate(random, lane.known);
          for (const fault of await attack(lane, sketch, report)) {
            const sent = JSON.stringify(sketch.bytes.toString('latin1').slice(0, 2000));
            report.faults.push(`${fault}\n    lane ${index}, request ${i}: ${sent}`);
          }
          report.sent += 1;
          if (report.sent % 1000 === 0) onProgress?.(report);
        }
      } finally {
        await lane.close();
      }
    }),
  );
  return report;
}

async function attack(lane: Lane, sketch: Sketch, report: FuzzReport): Promise<string[]> {
  const before = lane.dataVersion();
  const answers = readAnswers(await exchange(lane.path, sketch.bytes, lane.isIdle));
  await lane.idle();
  if (answers.length === 0) report.unanswered += 1;
  const faults = answers.flatMap((answer) => answerFaults(answer, sketch));
  for (const answer of answers) {
    report.byStatus[answer.status] = (report.byStatus[answer.status] ?? 0) + 1;
    if (answer.status === 201 && sketch.operation !== undefined) {
      lane.learn(sketch.operation, JSON.parse(answer.text));
    }
  }
  const isChanged = lane.dataVersion() !== before;
  if (isChanged && !answers.some(mayChange) && answers.length > 0) {
    faults.push('a refused request has changed the database');
  }
  return faults;
}

/** A success, or a valid request that claimed its key (D11, D19). */
const mayChange = ({ status }: GivenAnswer) => status < 300 || status === 409 || status === 422;

const contract = createContract(buildOpenApi({ problemBase, routes: served }));

function answerFaults(answer: GivenAnswer, { operation, said, isHead }: Sketch): string[] {
  const { status } = answer;
  // 505: a request line with another version of HTTP.
  const isAllowed =
    (status >= 200 && status < 300) || (status >= 400 && status < 500) || status === 505;
  const faults = isAllowed ? [] : ['status'];
  if (said !== undefined) faults.push(...contract.faults(said, answer));
  else if (operation !== undefined && !isHead) {
    faults.push(...contract.answerFaults(operation, answer));
  }
  if (status >= 400) faults.push(...problemFaults(answer));
  return faults.map((fault) => `${status}: ${fault}`);
}

/**
 * Also for responses without an operation: unknown paths, other methods, and other bytes than HTTP.
 */
function problemFaults({ status, headers, text }: GivenAnswer): string[] {
  const faults: string[] = [];
  if (headers.get('content-type') !== 'application/problem+json') faults.push('its content type');
  if (headers.get('cache-control') !== 'no-store') faults.push('it may be cached');
  if (headers.get('x-request-id') === null) faults.push('it has no request id');
  if (text === '') return faults; // to HEAD
  const problem = v.safeParse(problemSchema, JSON.parse(text));
  if (!problem.success) return [...faults, `no problem: ${problem.issues[0].message}`];
  const name = problem.output.type.replace(`${problemBase}/problems/`, '');
  const isRight = isProblemType(name) && problemTypes[name].status === status;
  if (!isRight || problem.output.status !== status) faults.push(`the type ${name}`);
  if (problem.output.recovery === undefined) faults.push('it has no recovery');
  return faults;
}

function isProblemType(name: string): name is ProblemType {
  return Object.hasOwn(problemTypes, name);
}

const patienceMs = 15_000;

/**
 * Sends the bytes, and returns all received bytes until the connection ends. The sender ends it
 * only when the service is idle, because it may wait for more of the request, or for another one.
 */
function exchange(path: string, bytes: Buffer, isIdle: () => boolean): Promise<string> {
  return new Promise((resolve, reject) => {
    const received: Buffer[] = [];
    const socket = connect(path, () => socket.write(bytes));
    let idleTicks = 0;
    const tick = setInterval(() => {
      idleTicks = isIdle() ? idleTicks + 1 : 0;
      if (idleTicks === 2) socket.end();
    }, 10);
    const timer = setTimeout(() => {
      socket.destroy();
      reject(new Error(`the connection does not end: ${JSON.stringify(bytes.toString('latin1'))}`));
    }, patienceMs);
    socket.on('data', (data) => received.push(data));
    socket.on('error', () => {}); // then it closes
    socket.on('close', () => {
      clearInterval(tick);
      clearTimeout(timer);
      resolve(Buffer.concat(received).toString('utf8'));
    });
  });
}

/** Parses the received bytes: one response after the other. */
function readAnswers(received: string): GivenAnswer[] {
  if (received === '') return [];
  return received
    .split(/(?=HTTP\/1\.1 \d{3} )/)
    .map(readAnswer)
    .filter(({ status }) => status !== 100);
}

function readAnswer(text: string): GivenAnswer {
  const end = text.indexOf('\r\n\r\n');
  const [line = '', ...lines] = text.slice(0, end).split('\r\n');
  const headers = new Headers();
  for (const header of lines) {
    const colon = header.indexOf(':');
    headers.append(header.slice(0, colon), header.slice(colon + 1).trim());
  }
  return { status: Number(line.split(' ')[1]), headers, text: text.slice(end + 4) };
}
