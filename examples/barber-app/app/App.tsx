import { useState } from 'react';
import { SafeAreaView } from 'react-native';
import { Appointments } from './Appointments.tsx';
import { ErrorBoundary } from './ErrorBoundary.tsx';
import { Payment } from './Payment.tsx';
import { type Shop, ShopContext } from './shop.ts';
import { useTheme } from './theme.tsx';

export function App({ shop }: { readonly shop: Shop }) {
  const [appointmentId, setAppointmentId] = useState<string>();
  const { ground } = useTheme();
  return (
    <ShopContext value={shop}>
      <SafeAreaView style={{ flex: 1, backgroundColor: ground }}>
        <ErrorBoundary onBack={() => setAppointmentId(undefined)}>
          {appointmentId === undefined ? (
            <Appointments onChoose={setAppointmentId} />
          ) : (
            <Payment appointmentId={appointmentId} onBack={() => setAppointmentId(undefined)} />
          )}
        </ErrorBoundary>
      </SafeAreaView>
    </ShopContext>
  );
}
