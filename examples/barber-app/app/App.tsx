import { StripeTerminalProvider, useStripeTerminal } from '@stripe/stripe-terminal-react-native';
import { useEffect, useState } from 'react';
import { AppState, SafeAreaView } from 'react-native';
import { Appointments } from './Appointments.tsx';
import { Payment } from './Payment.tsx';
import { reader, register } from './till.ts';

export function App() {
  return (
    <StripeTerminalProvider tokenProvider={reader.tokenProvider}>
      <Till />
    </StripeTerminalProvider>
  );
}

function Till() {
  const [appointmentId, setAppointmentId] = useState<string>();
  reader.attach(useStripeTerminal());

  // Tap to Pay disconnects in the background.
  useEffect(() => {
    const listening = AppState.addEventListener('change', (state) => {
      if (state === 'active') void register.wake();
    });
    return () => listening.remove();
  }, []);

  return (
    <SafeAreaView style={{ flex: 1 }}>
      {appointmentId === undefined ? (
        <Appointments onChoose={setAppointmentId} />
      ) : (
        <Payment appointmentId={appointmentId} onBack={() => setAppointmentId(undefined)} />
      )}
    </SafeAreaView>
  );
}
