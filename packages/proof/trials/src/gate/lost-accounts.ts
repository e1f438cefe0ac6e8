import { errAsync, type ResultAsync } from '@chairside/core';
import type { ProcessorError } from '@chairside/core/ports';
import type { SimulatedProcessor } from '@chairside/testkit';
import type { Evidence } from '../check/evidence.ts';

interface About {
  readonly account?: string;
  readonly ledger?: string;
}

/** The processor as long as some accounts are closed: each call for one of them is refused. */
export function withLostAccounts({ lost }: Evidence, real: SimulatedProcessor): SimulatedProcessor {
  const gone: ProcessorError = { kind: 'notSetUp' };
  function unlessLost<R extends About, Rest extends readonly unknown[], T>(
    call: (about: R, ...rest: Rest) => ResultAsync<T, ProcessorError>,
  ) {
    return (about: R, ...rest: Rest) =>
      lost.has(about.account ?? about.ledger ?? '')
        ? errAsync<T, ProcessorError>(gone)
        : call(about, ...rest);
  }
  const { charges, refunds, disputes, settlements } = real;
  return {
    ...real,
    openPayment: unlessLost(real.openPayment),
    capturePayment: unlessLost(real.capturePayment),
    cancelPayment: unlessLost(real.cancelPayment),
    readPayment: unlessLost(real.readPayment),
    readReceipt: unlessLost(real.readReceipt),
    listPayments: unlessLost(real.listPayments),
    createConnectionToken: unlessLost(real.createConnectionToken),
    ...(charges !== undefined && {
      charges: { ...charges, authorize: unlessLost(charges.authorize) },
    }),
    refunds: {
      refund: unlessLost(refunds.refund),
      list: unlessLost(refunds.list),
      listRecent: unlessLost(refunds.listRecent),
    },
    disputes: { list: unlessLost(disputes.list), listRecent: unlessLost(disputes.listRecent) },
    ...(settlements !== undefined && {
      settlements: {
        listEntries: unlessLost(settlements.listEntries),
        listPayouts: unlessLost(settlements.listPayouts),
      },
    }),
  };
}
