import { shop } from '../../opened.ts';

export const dynamic = 'force-dynamic';

export async function GET() {
  return Response.json(await (await shop()).appointments.list());
}
