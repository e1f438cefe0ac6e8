import { useState } from 'react';
import { SafeAreaView } from 'react-native';
import { Appointments } from './Appointments.tsx';
import { ErrorBoundary } from './ErrorBoundary.tsx';
import { OfflineBanner } from './OfflineBanner.tsx';
import { Payment } from './Payment.tsx';
import { type Shop, ShopContext } from './shop.ts';

export function App({ shop }: { readonly shop: Shop }) {
  const [appointmentId, setAppointmentId] = useState<string>();
  return (
    <ShopContext value={shop}>
      <SafeAreaView style={{ flex: 1 }}>
        <OfflineBanner />
        <ErrorBoundary>
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
