import { type Act, type Control, isBusy, places, screenOf } from '@chairside/client/screen';
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { ScrollView, Text, TextInput, Vibration, View } from 'react-native';
import { Receipt } from './Receipt.tsx';
import { Others, ShareRow } from './Sharing.tsx';
import { useShop } from './shop.ts';
import { Tip } from './Tip.tsx';
import { Button, dockHeight, gap, rowHeight, toneOf, useTheme } from './theme.tsx';
import { visitOf } from './today.ts';

interface Props {
  readonly appointmentId: string;
  readonly onBack: () => void;
  /** Leads to the cash of the visit; `undefined` if the shop takes none. */
  readonly onCash: (() => void) | undefined;
  /** Leads to the question whose a payment is. */
  readonly onShare: () => void;
}

const readEveryMs = 4000;
const rows = [1, 2, 3, 4, 5] as const;
// cast: the keys of a constant object
const acts = Object.keys(places) as readonly Act[];

/** Draws what is known of the visit, and nothing else (D207). */
export function Payment({ appointmentId: id, onBack, onCash, onShare }: Props) {
  const { visits, today, sound } = useShop();
  const theme = useTheme();
  useSyncExternalStore(visits.subscribe, visits.version);
  const [, setNow] = useState(0);

  useEffect(() => {
    void visits.open(id);
    const tick = setInterval(() => setNow(Date.now()), 500);
    const reading = setInterval(() => void visits.read(id), readEveryMs);
    return () => {
      clearInterval(tick);
      clearInterval(reading);
    };
  }, [visits, id]);

  const facts = visits.factsOf(id);
  const screen = screenOf(facts);
  const { tone, sum, said, todo, lines, controls, field, fieldFault, tipFor, state } = screen;
  const isTaking = isBusy(facts.taking);
  const wasTaking = useRef(false);
  useEffect(() => {
    // Only where a payment has just ended: a visit that is opened again is silent.
    const hasEnded = wasTaking.current && !isTaking;
    wasTaking.current = isTaking;
    if (!hasEnded || (tone !== 'good' && tone !== 'bad')) return;
    // A phone that cannot vibrate or play must still show the end.
    (async () => {
      Vibration.vibrate(tone === 'good' ? 80 : [0, 80, 80, 80]);
      await sound(tone);
    })().catch(() => {});
  }, [isTaking, tone, sound]);

  const { customer, service, time } = visitOf(today, id);
  const colours = toneOf(theme, tone);
  const text = { color: colours.color, textAlign: 'center', fontSize: 16 } as const;
  const { back, books } = facts;
  return (
    <View style={{ flex: 1 }} testID={`state-${state}`}>
      {onCash !== undefined && (
        <View style={{ flexDirection: 'row', height: rowHeight, margin: gap, marginBottom: 0 }}>
          <View style={{ flex: 1 }} />
          <View style={{ flex: 1, flexDirection: 'row' }}>
            {/* The customer who chooses a tip is not led into the shop's screens. */}
            {!isTaking && tipFor === undefined && (
              <Button title="Cash" testID="act-cash" onPress={onCash} />
            )}
          </View>
        </View>
      )}
      {visits.sharing !== undefined && (
        <ShareRow facts={facts} screen={screen} appointmentId={id} onShare={onShare} />
      )}
      <ScrollView
        style={{
          flex: 1,
          margin: gap,
          borderRadius: 12,
          borderWidth: tone === 'unknown' ? 2 : 1,
          borderStyle: tone === 'unknown' ? 'dashed' : 'solid',
          borderColor: colours.border,
          backgroundColor: colours.backgroundColor,
        }}
        contentContainerStyle={{ padding: 16, gap: 8, alignItems: 'stretch' }}
      >
        {tipFor === undefined ? (
          <>
            <Text style={text} numberOfLines={2} testID="who">
              {`${customer}, ${service} ${time}`.trim()}
            </Text>
            {sum === undefined ? (
              <Text style={text}>not known</Text>
            ) : (
              <Text style={{ ...text, fontSize: 36, fontWeight: '700' }} testID="sum">
                <Text
                  style={{ fontSize: 16, fontWeight: '400' }}
                >{`${sum.label} ${facts.currency} `}</Text>
                {sum.amount}
              </Text>
            )}
            <Text
              accessibilityLiveRegion="polite"
              testID="said"
              style={{ ...text, color: colours.strong, fontSize: 18, fontWeight: '700' }}
            >
              {said}
            </Text>
            {facts.alsoPays === undefined && (
              <Text style={text} testID="todo">
                {todo}
              </Text>
            )}
            {lines.map((line) => (
              <Text key={line} style={{ ...text, fontSize: 14 }}>
                {line}
              </Text>
            ))}
            {books.is === 'read' &&
              books.value.payments.map(({ id: paymentId }) => (
                <Receipt key={paymentId} paymentId={paymentId} color={colours.color} />
              ))}
            {facts.alsoPays !== undefined && <Others appointmentId={id} />}
            {field !== undefined && (
              <TextInput
                accessibilityLabel={field === 'part' ? 'Only a part' : 'Other amount'}
                inputMode="decimal"
                maxLength={9}
                placeholder={field === 'part' ? 'Only a part' : 'Other amount'}
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
                value={back.is === 'asking' ? back.typed : facts.typed}
                onChangeText={(typed) => visits.type(id, typed.trim())}
              />
            )}
            {fieldFault !== undefined && (
              <Text style={{ ...text, color: theme.wait }}>{fieldFault}</Text>
            )}
          </>
        ) : (
          <Tip
            price={tipFor}
            currency={facts.currency}
            onChoose={({ total, tip }) => visits.chooseTip(id, total, tip)}
          />
        )}
      </ScrollView>
      <Dock controls={controls} onPress={(control) => visits.press(id, control, onBack)} />
    </View>
  );
}

interface DockProps {
  readonly controls: readonly Control[];
  readonly onPress: (control: Control) => void;
}

/** Each control at its own place, an empty one where it is absent. */
function Dock({ controls, onPress }: DockProps) {
  const isSignedOut = controls.some(({ act }) => act === 'signIn');
  const shown = isSignedOut ? rows : rows.slice(0, 4);
  return (
    <View style={{ minHeight: dockHeight, padding: gap, gap }}>
      {shown.map((row) => (
        <View key={row} style={{ flexDirection: 'row', gap, height: rowHeight }}>
          {acts
            .filter((act) => places[act].row === row)
            .map((act) => {
              const control = controls.find((one) => one.act === act);
              const isMain = act === 'take' || act === 'giveBack';
              return (
                <View
                  key={act}
                  style={{ flex: places[act].width, flexBasis: 0, flexDirection: 'row' }}
                >
                  {control !== undefined && (
                    <Button
                      title={control.label}
                      testID={`act-${act}`}
                      isMain={isMain}
                      onPress={() => onPress(control)}
                    />
                  )}
                </View>
              );
            })}
        </View>
      ))}
    </View>
  );
}
