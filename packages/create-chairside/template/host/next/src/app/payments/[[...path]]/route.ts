import { shop } from '../../../opened.ts';

const handle = async (request: Request) => (await shop()).payments.fetchWithBasePath(request);

export { handle as DELETE, handle as GET, handle as PATCH, handle as POST, handle as PUT };
