import type { Unfinished } from '@chairside/client';
import { useEffect, useState } from 'react';
import { Button, FlatList, Text, View } from 'react-native';
import { reader, register } from './till.ts';

/** A real app lists today's appointments from its own backend. */
const today = ['appointment_open_001', 'appointment_open_002', 'appointment_open_003'];

interface Props {
  readonly onChoose: (appointmentId: string) => void;
}

export function Appointments({ onChoose }: Props) {
  const [unfinished, setUnfinished] = useState<readonly Unfinished[]>();
  const [isReady, setReady] = useState<boolean>();

  useEffect(() => {
    void register.unfinished().then(setUnfinished);
    void register.wake().then(setReady);
  }, []);

  const problem = reader.lastProblem();
  return (
    <View style={{ padding: 16, gap: 16 }}>
      <Text accessibilityRole="header">Today</Text>
      <FlatList
        data={today}
        keyExtractor={(id) => id}
        renderItem={({ item }) => <Button title={item} onPress={() => onChoose(item)} />}
      />
      <Text accessibilityRole="header">Unfinished</Text>
      {unfinished?.map(({ appointmentId, amount = '', mayBeCharged }) => (
        <Button
          key={appointmentId}
          title={`${appointmentId} ${amount}${mayBeCharged ? ': check first' : ''}`}
          onPress={() => onChoose(appointmentId)}
        />
      ))}
      <Text accessibilityRole="header">Terminal</Text>
      <Text>
        {isReady ? 'Ready.' : (problem?.title ?? 'Not ready.')} {reader.terminal()?.id ?? ''}
      </Text>
    </View>
  );
}
