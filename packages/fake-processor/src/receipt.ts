import type { Card } from '@chairside/core';
import type { ReceiptDetails } from '@chairside/core/ports';
import type { Entry } from './entry.ts';
import { derive } from './ids.ts';

const applications: Readonly<Record<Card['network'], readonly [id: string, name: string]>> = {
  network_a: ['A0000000031010', 'VISA'],
  network_b: ['A0000000041010', 'MASTERCARD'],
  network_c: ['A000000025010801', 'AMERICAN EXPRESS'],
  network_d: ['A0000001523010', 'DISCOVER'],
  other: ['A000000333010102', 'UNIONPAY'],
};

/** The receipt data of terminal and issuer; `undefined` if no card was accepted. */
export function receiptOf(
  { id, card, authorizedAt }: Entry,
  seed: string,
): ReceiptDetails | undefined {
  if (card === undefined) return undefined;
  const [applicationIdentifier, applicationPreferredName] = applications[card.network];
  return {
    applicationIdentifier,
    applicationPreferredName,
    ...(authorizedAt !== undefined && {
      authorizationCode: derive(seed, 'authorization', id).slice(0, 6).toUpperCase(),
      authorizationResponseCode: '3030',
    }),
    accountType: card.fundingType === 'debit' ? 'checking' : 'credit',
    applicationCryptogramType: 'TC',
    applicationCryptogram: hexOf(derive(seed, 'cryptogram', id)),
    terminalVerificationResults: '0000000000',
    transactionStatusInformation: 'E800',
    cardholderVerification: verificationOf(card),
  };
}

/** Eight bytes in hex. */
function hexOf(text: string): string {
  return [...text.slice(0, 8)]
    .map((one) => one.charCodeAt(0).toString(16).padStart(2, '0'))
    .join('')
    .toUpperCase();
}

function verificationOf(card: Card): 'device' | 'pin' | 'none' {
  if (card.tokenizationMethod !== undefined) return 'device';
  return card.fundingType === 'debit' ? 'pin' : 'none';
}
