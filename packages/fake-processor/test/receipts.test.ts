import type { CardName } from '@chairside/fake-processor';
import { describe, expect, it } from 'vitest';
import { authorizePayment, handle, openPayment, setUp, value } from './helpers.ts';

describe('receipts', () => {
  it.each([
    ['visa_credit', 'A0000000031010', 'VISA', 'none'],
    ['mastercard_debit', 'A0000000041010', 'MASTERCARD', 'pin'],
    ['amex_credit', 'A000000025010801', 'AMERICAN EXPRESS', 'none'],
    ['discover_prepaid', 'A0000001523010', 'DISCOVER', 'none'],
    ['other_network', 'A000000333010102', 'UNIONPAY', 'none'],
    ['apple_pay', 'A0000000031010', 'VISA', 'device'],
    ['google_pay', 'A0000000041010', 'MASTERCARD', 'device'],
  ] satisfies [CardName, string, string, string][])(
    '%s shows its application and verification',
    async (card, applicationIdentifier, applicationPreferredName, cardholderVerification) => {
      const { fake } = setUp();
      await authorizePayment(fake, card);
      expect(value(await fake.readReceipt(handle))).toEqual({
        applicationIdentifier,
        applicationPreferredName,
        accountType: expect.stringMatching(/^(?:credit|checking)$/),
        applicationCryptogramType: 'TC',
        applicationCryptogram: expect.stringMatching(/^[0-9A-F]{16}$/),
        terminalVerificationResults: '0000000000',
        transactionStatusInformation: 'E800',
        authorizationResponseCode: '3030',
        authorizationCode: expect.stringMatching(/^[0-9A-F]{6}$/),
        cardholderVerification,
      });
    },
  );

  it('have the same code each time, and another for another seed or payment', async () => {
    const codes = [];
    for (const seed of ['a', 'a', 'b']) {
      const { fake } = setUp({ seed });
      await authorizePayment(fake);
      const code = value(await fake.readReceipt(handle))?.authorizationCode;
      expect(value(await fake.readReceipt(handle))?.authorizationCode).toBe(code);
      codes.push(code);
    }
    expect(codes[0]).toBe(codes[1]);
    expect(codes[2]).not.toBe(codes[0]);
  });

  it('have no code before the issuer approved', async () => {
    const { fake } = setUp();
    await authorizePayment(fake, 'slow_to_approve');
    const receipt = value(await fake.readReceipt(handle));
    expect(receipt).toHaveProperty('applicationIdentifier');
    expect(receipt).not.toHaveProperty('authorizationCode');
  });

  it('are undefined without a payment or an accepted card', async () => {
    const { fake } = setUp();
    const read = async () => value(await fake.readReceipt(handle));
    expect(await read()).toBeUndefined();
    const { clientSecret, reference = '' } = await openPayment(fake);
    expect(await read()).toBeUndefined();
    value(fake.presentCard(clientSecret, 'declined'));
    expect(await read()).toBeUndefined();
    value(fake.presentCard(clientSecret, 'visa_credit'));
    expect(await read()).toBeDefined();
    const stranger = { ...handle, account: 'acct_2', reference };
    expect(value(await fake.readReceipt(stranger))).toBeUndefined();
  });
});
