//#if fake
import { shop } from '../../opened.ts';

export async function POST(request: Request) {
  const { clientSecret } = await request.json();
  return Response.json((await shop()).payer.tap(clientSecret));
}
//#end
