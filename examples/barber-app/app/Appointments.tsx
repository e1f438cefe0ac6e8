import { markOf } from '@chairside/client/screen';
import { useEffect, useSyncExternalStore } from 'react';
import { Pressable, ScrollView, Text, View } from 'react-native';
import { Readiness } from './Readiness.tsx';
import { useShop } from './shop.ts';
import { dockHeight, useTheme } from './theme.tsx';
import { readEveryMs, visitOf } from './today.ts';

interface Props {
  readonly onChoose: (appointmentId: string) => void;
}

export function Appointments({ onChoose }: Props) {
  const { visits, today } = useShop();
  const theme = useTheme();
  useSyncExternalStore(visits.subscribe, visits.version);

  useEffect(() => {
    const readAll = () => {
      for (const { id } of today) void visits.read(id);
    };
    void visits.readNotes();
    readAll();
    const timer = setInterval(readAll, readEveryMs(today.length));
    return () => clearInterval(timer);
  }, [visits, today]);

  const left = visits.left();
  const earlier = left.filter((id) => today.every((visit) => visit.id !== id));
  const ids = [...today.map(({ id }) => id), ...earlier];
  const isUnreadable = visits.factsOf('').notes === 'unreadable';
  return (
    <View style={{ flex: 1, gap: 8 }}>
      <Text
        accessibilityRole="header"
        style={{ color: theme.ink, fontSize: 22, fontWeight: '700', padding: 16, paddingBottom: 0 }}
      >
        Today
      </Text>
      <View style={{ minHeight: 96, paddingHorizontal: 16 }}>
        <Readiness />
      </View>
      <ScrollView style={{ flex: 1 }} contentContainerStyle={{ paddingHorizontal: 16, gap: 8 }}>
        {ids.map((id) => {
          const { customer, service, time } = visitOf(today, id);
          const mark = left.includes(id) ? 'not finished' : markOf(visits.factsOf(id));
          return (
            <Pressable
              key={id}
              accessibilityRole="button"
              testID={id}
              onPress={() => onChoose(id)}
              style={{
                minHeight: 56,
                padding: 8,
                borderRadius: 8,
                borderWidth: 1,
                borderColor: theme.line,
                backgroundColor: theme.paper,
                flexDirection: 'row',
                alignItems: 'center',
                gap: 8,
              }}
            >
              <View style={{ flex: 1, minWidth: 0 }}>
                <Text
                  numberOfLines={1}
                  style={{ color: theme.ink, fontSize: 16, fontWeight: '600' }}
                >
                  {customer}
                </Text>
                <Text numberOfLines={1} style={{ color: theme.soft, fontSize: 14 }}>
                  {`${time} ${service}`.trim()}
                </Text>
              </View>
              <Text
                style={{ color: mark === 'not finished' ? theme.wait : theme.ink, fontSize: 16 }}
              >
                {mark}
              </Text>
            </Pressable>
          );
        })}
      </ScrollView>
      {/* Where the controls of a visit are, nothing can be pressed here: a second tap meets nothing. */}
      <View style={{ height: dockHeight, padding: 16 }}>
        {isUnreadable && (
          <Text accessibilityRole="alert" style={{ color: theme.wait, fontSize: 16 }}>
            This phone cannot save payments, so it takes no card. Allow it to store data.
          </Text>
        )}
      </View>
    </View>
  );
}
