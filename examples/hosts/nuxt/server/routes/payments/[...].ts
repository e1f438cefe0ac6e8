import { fromWebHandler } from 'h3';
import { shop } from '../../utils/shop.ts';

// #region mount
const handle = async (request: Request) => (await shop()).payments.fetchWithBasePath(request);
export default fromWebHandler(handle);
// #endregion
