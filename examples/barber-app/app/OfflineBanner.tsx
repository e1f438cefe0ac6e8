import { useSyncExternalStore } from 'react';
import { Text } from 'react-native';
import { useShop } from './shop.ts';

export function OfflineBanner() {
  const { connection } = useShop();
  const isOnline = useSyncExternalStore(connection.subscribe, connection.isOnline);
  if (isOnline) return null;
  return (
    <Text
      accessibilityRole="alert"
      style={{ backgroundColor: '#7a5200', color: '#fff', padding: 12 }}
    >
      No connection to the shop. A payment that was begun is kept, and goes on by itself.
    </Text>
  );
}
