import { useSyncExternalStore } from 'react';
import { register } from './till.ts';

export function useTaking(appointmentId: string) {
  return useSyncExternalStore(register.subscribe, () => register.getSnapshot(appointmentId));
}
