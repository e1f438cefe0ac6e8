import type { ProcessorAccount } from '@chairside/core';
import { describe, expect, it } from 'vitest';
import { problem, rejected, type Suite, value } from './suite.ts';

/** Connection tokens of terminals (D24). */
export function tokensContract(suite: Suite): void {
  const { needs } = suite;

  describe('connection tokens', () => {
    const token = (more: Partial<ProcessorAccount> = {}) => {
      const { id, terminalLocation } = { ...suite.account(), ...more };
      return suite.processor().createConnectionToken({
        account: id,
        ...(terminalLocation !== undefined && { terminalLocation }),
      });
    };

    it('are new for each call', async () => {
      const tokens = [await value(token()), await value(token())];
      for (const { clientSecret } of tokens) expect(clientSecret).not.toBe('');
      expect(tokens[0]).not.toEqual(tokens[1]);
    });

    it('are rejected for a location that the processor does not accept', async (test) => {
      needs(test, 'rejectedLocation');
      const terminalLocation = suite.able('rejectedLocation');
      expect(await problem(token({ terminalLocation }))).toEqual(rejected);
    });

    it('are rejected for an account that is not set up', async (test) => {
      needs(test, 'accountNotSetUp');
      const other = await suite.able('accountNotSetUp')();
      expect(await problem(token(other))).toEqual({ kind: 'notSetUp' });
    });
  });
}
