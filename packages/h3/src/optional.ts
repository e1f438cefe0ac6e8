import type { OpenApiOptions } from './openapi/build.ts';
import { route } from './route.ts';

const beside =
  'beside the published interface of Chairside, under the same address and with the same authentication';

/**
 * The groups of operations that a host switches on by the handler's option of the same name (D44, D49, D202, D203, D208).
 * `buildOpenApi(group)` builds the document of one.
 */
export const optionalGroups = {
  refunds: {
    routes: [
      route('refundPayment', 'POST /contactlessPayments/{contactlessPaymentId}/refunds', {
        status: 201,
        location: '/contactlessPayments/{contactlessPaymentId}/refunds/{id}',
      }),
      route('listRefunds', 'GET /contactlessPayments/{contactlessPaymentId}/refunds'),
      route('getRefund', 'GET /contactlessPayments/{contactlessPaymentId}/refunds/{refundId}'),
    ],
    about: {
      title: 'Chairside refunds',
      summary: 'Refunds of in-person card payments',
      description: `Refunds of captured card payments. A service may serve these operations ${beside}.`,
    },
  },
  receipts: {
    routes: [route('getReceipt', 'GET /contactlessPayments/{contactlessPaymentId}/receipt')],
    about: {
      title: 'Chairside receipts',
      summary: 'Receipts of in-person card payments',
      description: `What a receipt of a captured card payment must show. A service may serve this operation ${beside}.`,
    },
  },
  charges: {
    routes: [
      route('chargePaymentMethod', 'POST /appointments/{appointmentId}/charges', {
        status: 201,
        location: '/charges/{id}',
      }),
      route('listCharges', 'GET /appointments/{appointmentId}/charges'),
      route('getCharge', 'GET /charges/{chargeId}'),
    ],
    about: {
      title: 'Chairside charges',
      summary: 'Deposits and no-show fees, charged to a saved payment method',
      description: `Charges of saved payment methods, without their customers. A service may serve these operations ${beside}.`,
    },
  },
  tenders: {
    routes: [
      route('recordTender', 'POST /appointments/{appointmentId}/tenders', { status: 201 }),
      route('listTenders', 'GET /appointments/{appointmentId}/tenders'),
      route('returnTender', 'POST /tenders/{tenderId}/returns', { status: 201 }),
      route('voidTender', 'POST /tenders/{tenderId}/void'),
    ],
    about: {
      title: 'Chairside tenders',
      summary: 'Cash, vouchers and bank transfers beside card payments',
      description: `What is paid for an appointment without a card. A service may serve these operations ${beside}.`,
    },
  },
  shares: {
    routes: [
      route('sharePayment', 'POST /contactlessPayments/{contactlessPaymentId}/shares', {
        status: 201,
      }),
      route('listShares', 'GET /appointments/{appointmentId}/shares'),
    ],
    shares: true,
    about: {
      title: 'Chairside shares',
      summary: 'Whose a captured payment is',
      description: `Payments that belong to several visits or barbers. A service may serve these operations ${beside}.
The create of a payment then takes \`alsoPays\` as well, and payments show \`shares\`.`,
    },
  },
} satisfies Readonly<Record<string, OpenApiOptions>>;
