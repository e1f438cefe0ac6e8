export {
  openProxy,
  type ProxyFault,
  type ProxyOptions,
  type ServerProxy,
  type Strike,
} from './proxy.ts';
