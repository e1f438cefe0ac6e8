import {
  type AuthContext,
  type ChairsideOptions,
  type Clock,
  createChairside,
  createMemoryRateLimiter,
  defaultRateLimits,
  type Ids,
  minuteMs,
  type Observation,
  type RateLimits,
} from '@chairside/core';
import type { Change, Commit, Fact } from '@chairside/core/ports';
import { Evidence } from '../check/evidence.ts';
import { createFaults, type Gate, type Node, type Task } from '../gate/gate.ts';
import { gatedProcessor } from '../gate/gated-processor.ts';
import { gatedStore } from '../gate/gated-store.ts';
import { createScheduler } from '../gate/scheduler.ts';
import { noCaptures } from '../gate/watch-captures.ts';
import { noteAppointment, noteBusiness } from '../gate/watch-records.ts';
import type { Plan } from '../plan/plan.ts';
import type { Harness } from '../world.ts';
import { installation, type Run, type Service, upkeepAction } from './run.ts';
import { barberAuth, furnish, officeOf, owner, start } from './shop.ts';

export async function openRun(harness: Harness, plan: Plan): Promise<Run> {
  const scheduler = createScheduler(start);
  const { clock } = scheduler;
  const { skewMs = 0 } = plan;
  // It stays wrong after the faults have stopped.
  const skewed: Clock = { now: () => clock.now() + skewMs };
  const roleless = new Set<number>();
  const evidence = new Evidence(plan);
  const faults = createFaults(plan.faults);
  const world = await harness.open(clock, plan.seed, skewed);
  const nodes: readonly [Node, Node] = [newNode(), newNode()];
  const ids = countedIds();
  const rateLimiter = createMemoryRateLimiter();
  const makeChairside = harness.createChairside ?? createChairside;
  const seen = new Set<string>();
  let isRestored = false;
  let home: Fact | undefined;

  const gate: Gate = {
    scheduler,
    faults,
    evidence,
    gone: new Set(),
    hasServerTime: plan.skewMs !== undefined,
    seed: plan.seed,
    world: () => world,
    home: () => home,
    isRestored: () => isRestored,
    async crash(node) {
      node.lives += 1;
      await world.reopen?.();
      abandonAll(node);
    },
  };

  function observe(observation: Observation): void {
    const { kind, outcome } = observation;
    const name = kind === 'commit' ? observation.changes.length : observation.name;
    const brief = `${kind} ${name} ${outcome}`;
    if (seen.has(brief)) return;
    seen.add(brief);
    evidence.texts.add(JSON.stringify(observation));
  }

  function options(store: ChairsideOptions['store'], processor: ChairsideOptions['processor']) {
    const own = { store, processor, clock, ids, installation, observe, rateLimiter, tips: {} };
    return { ...own, ...(isRestored && { restored: true }) };
  }

  /** A token contains its person. A role counts at the time when the token is used. */
  function authenticate(token: string): AuthContext | undefined {
    const isRoleless = token.endsWith('.roleless');
    const [kind, barber = ''] = token.split('.');
    switch (kind) {
      case 'unsure':
        throw new Error('the identity provider does not answer');
      case 'barber':
        return barberAuth(Number(barber), !roleless.has(Number(barber)) && !isRoleless, 1);
      case 'owner':
        return isRoleless ? { subject: owner.subject } : owner;
      case 'elsewhere':
        return officeOf(kind);
      default:
        return undefined;
    }
  }

  /** Lives as long as its node, so that requests of one action share it. */
  const services = new Map<string, Service>();

  function serve(action: number, isLimited = true, of = installation): Service {
    const node = nodes[action % 2 === 0 ? 0 : 1];
    const name = `${action} ${node.lives} ${isLimited} ${of}`;
    const service = services.get(name) ?? newService(action, node, isLimited, of);
    services.set(name, service);
    service.begin();
    return service;
  }

  function newService(action: number, node: Node, isLimited: boolean, of: string): Service {
    const own = node === nodes[1] && action < upkeepAction ? skewed : clock;
    let underWay = 0;
    let since = 0;
    const task: Task = {
      action,
      node,
      since: () => since,
      life: node.lives,
    };
    const watch = noCaptures();
    const chairside = makeChairside({
      ...options(gatedStore(gate, task, watch), gatedProcessor(gate, task, watch)),
      clock: own,
      installation: of,
      rateLimits: isLimited ? limitsOf(plan) : 'off',
    });
    const { serveHttp } = harness;
    /** Created for the first request that needs it, because few do. */
    let handler: ReturnType<NonNullable<typeof serveHttp>> | undefined;
    return {
      chairside,
      begin() {
        if (underWay === 0) since = scheduler.nextMoment();
      },
      ...(serveHttp !== undefined && {
        fetch(request: Request) {
          handler ??= serveHttp(chairside, authenticate);
          return handler(request);
        },
      }),
      async answer(asked) {
        if (task.life !== node.lives) return undefined;
        let abandon = () => {};
        const abandoned = new Promise<undefined>((resolve) => {
          abandon = () => resolve(undefined);
        });
        node.abandoned.add(abandon);
        underWay += 1;
        const answer = await Promise.race([asked, abandoned]);
        underWay -= 1;
        node.abandoned.delete(abandon);
        return answer;
      },
    };
  }

  const unlimited = () =>
    ({ ...options(world.store, world.processor), rateLimits: 'off' }) as const;
  const snapshots: Change[] = [];
  const { commit } = world.store;
  const noting = {
    ...world.store,
    commit(one: Commit) {
      snapshots.push(...one.changes);
      return commit.call(world.store, one);
    },
  };
  await furnish(makeChairside({ ...unlimited(), store: noting }), plan);
  home = (await world.store.facts.get('world')).unwrapOr(undefined);
  for (const change of snapshots) {
    if (change.kind === 'putAppointment') noteAppointment(evidence, change.appointment, start, 0);
    if (change.kind === 'putBusiness') noteBusiness(evidence, change.business, start, 0);
  }
  return {
    plan,
    scheduler,
    faults,
    evidence,
    gate,
    world: () => world,
    opened: new Map(),
    references: new Map(),
    setups: new Map(),
    terminals: new Map(),
    appointments: new Map(),
    businesses: new Map(),
    roleless,
    mail: [],
    begun: new Set(),
    serve,
    ungated: () => makeChairside(unlimited()),
    restore(backup) {
      for (const node of nodes) {
        node.lives += 1;
        abandonAll(node);
      }
      backup();
      isRestored = true;
    },
    heal() {
      faults.stop();
      roleless.clear();
    },
  };
}

/** Clients of a dead process learn that their responses are lost. */
function abandonAll({ abandoned }: Node): void {
  for (const abandon of abandoned) abandon();
  abandoned.clear();
}

function newNode(): Node {
  return { lives: 1, abandoned: new Set() };
}

/** Ids in order of creation, which are cheap and easy to read in a log. */
function countedIds(): Ids {
  let made = 0;
  return {
    next(prefix) {
      made += 1;
      return `${prefix}_${made.toString().padStart(6, '0')}`;
    },
  };
}

function limitsOf({ writesPerMinute: limit }: Plan): RateLimits | 'off' {
  return limit === undefined
    ? 'off'
    : { ...defaultRateLimits, writes: { limit, windowMs: minuteMs } };
}
