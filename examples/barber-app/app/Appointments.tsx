import type { Unfinished } from '@chairside/client';
import { useEffect, useState } from 'react';
import { Button, FlatList, Text, View } from 'react-native';
import { Readiness } from './Readiness.tsx';
import { useShop } from './shop.ts';
import { today } from './today.ts';

interface Props {
  readonly onChoose: (appointmentId: string) => void;
}

export function Appointments({ onChoose }: Props) {
  const { register } = useShop();
  const [unfinished, setUnfinished] = useState<readonly Unfinished[]>([]);

  useEffect(() => {
    void register.unfinished().then((left = []) => setUnfinished(left));
  }, [register]);

  return (
    <View style={{ padding: 16, gap: 16 }}>
      <Readiness />
      {unfinished.length > 0 && <Text accessibilityRole="header">Unfinished</Text>}
      {unfinished.map(({ appointmentId, amount = '', mayBeCharged }) => (
        <Button
          key={appointmentId}
          title={`${appointmentId} ${amount}${mayBeCharged ? ': check first' : ''}`}
          onPress={() => onChoose(appointmentId)}
        />
      ))}
      <Text accessibilityRole="header">Today</Text>
      <FlatList
        data={today}
        keyExtractor={({ id }) => id}
        contentContainerStyle={{ gap: 8 }}
        renderItem={({ item: { id } }) => <Button title={id} onPress={() => onChoose(id)} />}
      />
    </View>
  );
}
