import { bug, type PlantedBug } from './planted-bug.ts';

/** Mistakes beside payments: in setups, terminals and connection tokens. */
export const plantedPreparationBugs: readonly PlantedBug[] = [
  // Setups: fences, leases, attempts
  bug(
    'setupLeaseNotChecked',
    'work/carry.ts',
    'return taken.isOk() ? hold(ports, record, taken.value) : err(taken.error);',
    `const stolen = { ...before, fence: before.fence + 1, leaseUntil: ports.clock.now() + 45_000 };
  if (taken.isErr() && record.id.startsWith('pms_')) return hold(ports, record, stolen);
  return taken.isOk() ? hold(ports, record, taken.value) : err(taken.error);`,
  ),
  bug(
    'setupLeaseNotGivenUp',
    'work/setup/setup.ts',
    'const work = giveUp(setup.work, now, provedDead);',
    'const work = setup.work;',
  ),
  bug(
    'setupKeyOfTheFence',
    'work/setup/setup.ts',
    "idempotencyKey: processorKey(setup, 'open'),",
    "idempotencyKey: [processorKey(setup, 'open'), setup.work.fence].join(':'),",
  ),
  bug(
    'setupAttemptRaisedTooEarly',
    'work/setup/setup.ts',
    'freed(setup, end.provedDead, now)',
    'freed(setup, true, now)',
  ),
  bug(
    'setupFirstCallForgotten',
    'work/setup/setup.ts',
    'isFirstCall: setup.work.fence === 1,',
    'isFirstCall: true,',
  ),

  // Setups: keys and outcomes
  bug(
    'setupWithoutClaim',
    'operations/preparePaymentMethod.ts',
    'const claim = use === undefined ? [] : [claimKey(use, setup.id)];',
    'const claim = [];',
  ),
  bug(
    'setupBegunAgain',
    'operations/preparePaymentMethod.ts',
    'const setupId = use === undefined ? begun.id : claimed?.resourceId;',
    'const setupId = claimed?.resourceId;',
  ),
  bug(
    'setupSaidNotApplied',
    'work/setup/setup.ts',
    'return written.map(() => setup).mapErr(orUnknown);',
    'return written.map(() => setup);',
  ),
  bug(
    'setupNotReadBeforeItIsWithdrawn',
    'work/opening/decide-opening.ts',
    'didNothing(error) && isFirstCall)',
    "(isFirstCall ? didNothing(error) : error.kind === 'rejected' || error.kind === 'notSetUp'))",
  ),
  bug(
    'setupOpenedTooLate',
    'work/setup/setup.ts',
    'const isOver = () => isAgedBy(setupLifetimeMs, setup.createdAt, ports.clock.now());',
    'const isOver = () => false;',
  ),
  bug(
    'setupForgottenEarly',
    'work/setup/setup.ts',
    'return expiresAt + keyRetentionMs;',
    'return expiresAt;',
  ),
  bug(
    'setupsReadByAnyone',
    'call/access.ts',
    'isAdministrator || auth.customerId === setup.customerId;',
    'true;',
  ),

  // Terminals
  bug(
    'deviceRegisteredTwice',
    'operations/terminals.ts',
    '        ...device,\n        barberId,',
    "    ...device,\n    deviceIdentifier: [device.deviceIdentifier, barberId].join(' of '),\n    barberId,",
  ),
  bug(
    'deviceTakenForOwn',
    'operations/terminals.ts',
    "      return yield* err(error.kind === 'storeConflict' ? alreadyRegistered() : error);",
    "      if (error.kind === 'storeConflict') return viewTerminal(terminal, location);\n      return yield* err(error);",
  ),
  bug(
    'terminalRemovedByAnyone',
    'operations/terminals.ts',
    'findOwnTerminal(ports, terminalId, barberId);\n      yield* await removeTerminal(',
    "await find('terminal', terminalId, ports.store.terminals);\n      yield* await removeTerminal(",
  ),
  bug(
    'terminalRemovedUnseen',
    'operations/terminals.ts',
    '    terminalEvent(terminal, cause, ports.clock.now()),\n',
    '',
  ),
  bug(
    'terminalsOfEveryone',
    'operations/terminals.ts',
    'terminals.listByBarber(barberId, maxListedTerminals)',
    "terminals.listByBarber('ada', maxListedTerminals)",
  ),
  bug(
    'removalTakenForDone',
    'call/commit.ts',
    'return result;',
    "return changes[0]?.kind === 'deleteTerminal' && result.isErr() && result.error.kind === 'storeConflict' ? ok() : result;",
  ),
  bug(
    'tokenObserved',
    'operations/terminals.ts',
    '  return { clientSecret };',
    "  ports.observe?.({ kind: 'failure', name: clientSecret, outcome: 'made', durationMs: 0 });\n  return { clientSecret };",
  ),
];
