export const GET = () => new Response('Marlow & Sons, barbers');
