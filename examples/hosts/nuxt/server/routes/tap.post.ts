import { defineEventHandler, readBody } from 'h3';
import { shop } from '../utils/shop.ts';

export default defineEventHandler(async (event) => {
  const { clientSecret } = await readBody(event);
  return (await shop()).tap(clientSecret);
});
