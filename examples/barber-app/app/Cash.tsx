import { useEffect, useSyncExternalStore } from 'react';
import { ScrollView, Text, TextInput, View } from 'react-native';
import { type CashAct, type Cash as CashOfVisits, cashScreenOf } from './cash.ts';
import { useShop } from './shop.ts';
import { Button, dockHeight, gap, rowHeight, toneOf, useTheme } from './theme.tsx';
import { visitOf } from './today.ts';

interface Props {
  readonly cash: CashOfVisits;
  readonly appointmentId: string;
  readonly onBack: () => void;
}

const readEveryMs = 4000;
/** Each act at its own place, above those of the card's screen. */
const rows: readonly (readonly CashAct[])[] = [
  ['take', 'check', 'back'],
  ['keep', 'received', 'giveBack'],
];

/** Takes cash at a visit, and gives it back after a question (D202). */
export function Cash({ cash, appointmentId: id, onBack }: Props) {
  const { today, visits } = useShop();
  const theme = useTheme();
  useSyncExternalStore(cash.subscribe, cash.version);
  useSyncExternalStore(visits.subscribe, visits.version);
  useEffect(() => {
    const readAll = () => {
      void cash.read(id);
      void visits.read(id);
    };
    readAll();
    const reading = setInterval(readAll, readEveryMs);
    return () => clearInterval(reading);
  }, [cash, visits, id]);

  const facts = { ...cash.factsOf(id), visit: visits.factsOf(id).books };
  const { state, tone, sum, said, todo, lines, controls, hasField, fieldFault } = cashScreenOf(
    facts,
    id,
  );
  const colours = toneOf(theme, tone);
  const text = { color: colours.color, textAlign: 'center', fontSize: 16 } as const;
  const { customer, service, time } = visitOf(today, id);
  const goBack = () => {
    cash.leave(id);
    void visits.read(id);
    onBack();
  };
  return (
    <View style={{ flex: 1 }} testID={`cash-${state}`}>
      {/* No control of the card's screen is here. */}
      <View style={{ flexDirection: 'row', height: rowHeight, margin: gap, marginBottom: 0 }}>
        <View style={{ flex: 1, flexDirection: 'row' }}>
          <Button title="Back to the card" testID="cash-back" onPress={goBack} />
        </View>
        <View style={{ flex: 1 }} />
      </View>
      <ScrollView
        style={{
          flex: 1,
          margin: gap,
          marginBottom: 0,
          borderRadius: 12,
          borderWidth: tone === 'unknown' ? 2 : 1,
          borderStyle: tone === 'unknown' ? 'dashed' : 'solid',
          borderColor: colours.border,
          backgroundColor: colours.backgroundColor,
        }}
        contentContainerStyle={{ padding: 12, gap: 6, alignItems: 'stretch' }}
      >
        <Text style={text} numberOfLines={1}>
          {`${customer}, ${service} ${time}`.trim()}
        </Text>
        {sum !== undefined && (
          <Text style={{ ...text, fontSize: 32, fontWeight: '700' }} testID="cash-sum">
            <Text
              style={{ fontSize: 16, fontWeight: '400' }}
            >{`${sum.label} ${facts.currency} `}</Text>
            {sum.amount}
          </Text>
        )}
        <Text
          accessibilityLiveRegion="polite"
          testID="cash-said"
          style={{ ...text, color: colours.strong, fontSize: 18, fontWeight: '700' }}
        >
          {said}
        </Text>
        <Text style={text}>{todo}</Text>
        {hasField && (
          <TextInput
            accessibilityLabel="Other amount"
            inputMode="decimal"
            maxLength={9}
            placeholder="Other amount"
            placeholderTextColor={theme.soft}
            style={{
              borderWidth: 1,
              borderColor: theme.line,
              borderRadius: 8,
              padding: 8,
              fontSize: 16,
              color: theme.ink,
              backgroundColor: theme.paper,
            }}
            value={facts.typed}
            onChangeText={(typed) => cash.type(id, typed.trim())}
          />
        )}
        {fieldFault !== undefined && <Text style={text}>{fieldFault}</Text>}
      </ScrollView>
      <View style={{ padding: gap, gap }}>
        {rows.map((acts) => (
          <View key={acts.join()} style={{ flexDirection: 'row', gap, height: rowHeight }}>
            {acts.map((act) => {
              const control = controls.find((one) => one.act === act);
              return (
                <View key={act} style={{ flex: 1, flexDirection: 'row' }}>
                  {control !== undefined && (
                    <Button
                      title={control.label}
                      testID={`cash-act-${act}`}
                      isMain={act === 'take' || act === 'received' || act === 'giveBack'}
                      onPress={() => cash.press(id, control)}
                    />
                  )}
                </View>
              );
            })}
          </View>
        ))}
      </View>
      {/* Where the card's controls are, nothing can be pressed here. */}
      <ScrollView style={{ height: dockHeight, flexGrow: 0, paddingHorizontal: 16 }}>
        {lines.map((line) => (
          <Text key={line} style={{ color: theme.ink, fontSize: 14, paddingVertical: 4 }}>
            {line}
          </Text>
        ))}
      </ScrollView>
    </View>
  );
}
