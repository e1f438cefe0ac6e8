import { useSyncExternalStore } from 'react';
import { register } from './till.ts';

export function useTaking() {
  return useSyncExternalStore(register.subscribe, register.getSnapshot);
}
