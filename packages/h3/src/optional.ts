import { buildOpenApi, type OpenApiOptions } from './openapi/build.ts';
import type { OpenApiDocument } from './openapi/document.ts';
import { type Route, route } from './route.ts';

// Groups of operations that are not in the published interface: the handler's options switch them on.

const beside =
  'beside the published interface of Chairside, under the same address and with the same authentication';

/** Refunds over HTTP, which a host switches on by `refunds: true` (D44). */
export const refundRoutes: readonly Route[] = [
  route('refundPayment', 'POST /contactlessPayments/{contactlessPaymentId}/refunds', {
    status: 201,
    location: '/contactlessPayments/{contactlessPaymentId}/refunds/{id}',
  }),
  route('listRefunds', 'GET /contactlessPayments/{contactlessPaymentId}/refunds'),
  route('getRefund', 'GET /contactlessPayments/{contactlessPaymentId}/refunds/{refundId}'),
];

/** Builds the document of refunds, which a host may switch on (D44). */
export function buildRefundsOpenApi(
  options: Pick<OpenApiOptions, 'problemBase' | 'serverUrl' | 'tips' | 'shares'> = {},
): OpenApiDocument {
  const about = {
    title: 'Chairside refunds',
    summary: 'Refunds of in-person card payments',
    description: `Refunds of captured card payments. A service may serve these operations ${beside}.`,
  };
  return buildOpenApi({ ...options, routes: refundRoutes, about });
}

/** Receipts over HTTP, which a host switches on by `receipts: true` (D203). */
export const receiptRoutes: readonly Route[] = [
  route('getReceipt', 'GET /contactlessPayments/{contactlessPaymentId}/receipt'),
];

/** Builds the document of receipts, which a host may switch on (D203). */
export function buildReceiptsOpenApi(
  options: Pick<OpenApiOptions, 'problemBase' | 'serverUrl' | 'tips' | 'shares'> = {},
): OpenApiDocument {
  const about = {
    title: 'Chairside receipts',
    summary: 'Receipts of in-person card payments',
    description: `What a receipt of a captured card payment must show. A service may serve this operation ${beside}.`,
  };
  return buildOpenApi({ ...options, routes: receiptRoutes, about });
}

/** Charges of saved methods over HTTP, which a host switches on by `charges: true` (D49). */
export const chargeRoutes: readonly Route[] = [
  route('chargePaymentMethod', 'POST /appointments/{appointmentId}/charges', {
    status: 201,
    location: '/charges/{id}',
  }),
  route('listCharges', 'GET /appointments/{appointmentId}/charges'),
  route('getCharge', 'GET /charges/{chargeId}'),
];

/** Builds the document of the charges of saved methods, which a host may switch on (D49). */
export function buildChargesOpenApi(
  options: Pick<OpenApiOptions, 'problemBase' | 'serverUrl'> = {},
): OpenApiDocument {
  const about = {
    title: 'Chairside charges',
    summary: 'Deposits and no-show fees, charged to a saved payment method',
    description: `Charges of saved payment methods, without their customers. A service may serve these operations ${beside}.`,
  };
  return buildOpenApi({ ...options, routes: chargeRoutes, about });
}

/** What is paid without a card, over HTTP, which a host switches on by `tenders: true` (D202). */
export const tenderRoutes: readonly Route[] = [
  route('recordTender', 'POST /appointments/{appointmentId}/tenders', { status: 201 }),
  route('listTenders', 'GET /appointments/{appointmentId}/tenders'),
  route('returnTender', 'POST /tenders/{tenderId}/returns', { status: 201 }),
  route('voidTender', 'POST /tenders/{tenderId}/void'),
];

/** Builds the document of tenders, which a host may switch on (D202). */
export function buildTendersOpenApi(
  options: Pick<OpenApiOptions, 'problemBase' | 'serverUrl'> = {},
): OpenApiDocument {
  const about = {
    title: 'Chairside tenders',
    summary: 'Cash, vouchers and bank transfers beside card payments',
    description: `What is paid for an appointment without a card. A service may serve these operations ${beside}.`,
  };
  return buildOpenApi({ ...options, routes: tenderRoutes, about });
}

/** Whose a payment is, over HTTP, which a host switches on by `shares: true` (D208). */
export const shareRoutes: readonly Route[] = [
  route('sharePayment', 'POST /contactlessPayments/{contactlessPaymentId}/shares', { status: 201 }),
  route('listShares', 'GET /appointments/{appointmentId}/shares'),
];

/** Builds the document of shares, which a host may switch on (D208). */
export function buildSharesOpenApi(
  options: Pick<OpenApiOptions, 'problemBase' | 'serverUrl' | 'tips'> = {},
): OpenApiDocument {
  const about = {
    title: 'Chairside shares',
    summary: 'Whose a captured payment is',
    description: `Payments that belong to several visits or barbers. A service may serve these operations ${beside}.
The create of a payment then takes \`alsoPays\` as well, and payments show \`shares\`.`,
  };
  return buildOpenApi({ ...options, routes: shareRoutes, shares: true, about });
}
