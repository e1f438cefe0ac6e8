import { shop } from '../../../opened.ts';

const run = async (request: Request) => (await shop()).payments.fetchWithBasePath(request);

export { run as DELETE, run as GET, run as OPTIONS, run as PATCH, run as POST, run as PUT };
