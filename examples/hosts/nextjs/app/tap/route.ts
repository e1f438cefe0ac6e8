import { shop } from '../../lib/shop.ts';

export async function POST(request: Request) {
  const { clientSecret } = await request.json();
  return Response.json((await shop()).tap(clientSecret));
}
