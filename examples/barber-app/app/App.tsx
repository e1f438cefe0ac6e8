import { useState } from 'react';
import { SafeAreaView } from 'react-native';
import { Appointments } from './Appointments.tsx';
import { Cash } from './Cash.tsx';
import { ErrorBoundary } from './ErrorBoundary.tsx';
import { Payment } from './Payment.tsx';
import { Sharing } from './Sharing.tsx';
import { type Shop, ShopContext } from './shop.ts';
import { useTheme } from './theme.tsx';

export function App({ shop }: { readonly shop: Shop }) {
  const [appointmentId, setAppointmentId] = useState<string>();
  const [isCash, setCash] = useState(false);
  const [isSharing, setSharing] = useState(false);
  const { cash, visits } = shop;
  const leave = () => {
    setCash(false);
    setSharing(false);
    setAppointmentId(undefined);
  };
  const { ground } = useTheme();
  return (
    <ShopContext value={shop}>
      <SafeAreaView style={{ flex: 1, backgroundColor: ground }}>
        <ErrorBoundary onBack={leave}>
          {appointmentId === undefined ? (
            <Appointments onChoose={setAppointmentId} />
          ) : cash !== undefined && isCash ? (
            <Cash cash={cash} appointmentId={appointmentId} onBack={() => setCash(false)} />
          ) : visits.sharing !== undefined && isSharing ? (
            <Sharing
              desk={visits.sharing}
              appointmentId={appointmentId}
              onBack={() => setSharing(false)}
            />
          ) : (
            <Payment
              appointmentId={appointmentId}
              onBack={leave}
              onCash={cash && (() => setCash(true))}
              onShare={() => setSharing(true)}
            />
          )}
        </ErrorBoundary>
      </SafeAreaView>
    </ShopContext>
  );
}
