import { buildOpenApi, type OpenApiOptions } from './openapi/build.ts';
import type { OpenApiDocument } from './openapi/document.ts';
import { type Route, route } from './route.ts';

/**
 * What is paid without a card, over HTTP, which a host switches on (`tenders: true`). It is not in the published
 * interface (D202).
 */
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
  return buildOpenApi({ ...options, routes: tenderRoutes, about });
}

const about = {
  title: 'Chairside tenders',
  summary: 'Cash, vouchers and bank transfers beside card payments',
  description: `
What is paid for an appointment without a card. A service may serve these operations beside the published interface
of Chairside, under the same address and with the same authentication.
`.trim(),
};
