import type { Facts, Screen } from '@chairside/client/screen';
import { type SharingDesk, shareScreenOf } from '@chairside/client/share-screen';
import { useSyncExternalStore } from 'react';
import { Pressable, ScrollView, Text, TextInput, View } from 'react-native';
import { useShop } from './shop.ts';
import { Button, dockHeight, gap, rowHeight, toneOf, useTheme } from './theme.tsx';
import { visitOf } from './today.ts';

interface RowProps {
  readonly facts: Facts;
  readonly screen: Screen;
  readonly appointmentId: string;
  readonly onShare: () => void;
}

const paidStates: readonly string[] = ['paid', 'partlyPaid', 'partlyRefunded'];

/** Pay for two, share the tip, move a payment (D208): each at its own place, and none of them moves money. */
export function ShareRow({ facts, screen, appointmentId: id, onShare }: RowProps) {
  const { visits } = useShop();
  const { state, controls, tipFor } = screen;
  const isOpen = facts.alsoPays !== undefined;
  const mayTake = controls.some(({ act, amount }) => act === 'take' && amount !== undefined);
  const isOwing = state === 'ready' || state === 'partlyPaid';
  const mayPay = mayTake && isOwing && (isOpen || visits.others(id).length > 0);
  const payments = facts.books.is === 'read' ? facts.books.value.payments : [];
  // The latest payment first, as a person would.
  const last = payments.findLast(({ back }) => Number(back?.refundable ?? 0) > 0);
  const isPaid = paidStates.includes(state) && screen.tone !== 'unknown' && !isOpen;
  const ask = (what: 'move' | 'share') => () => {
    void visits.sharing?.ask(what, last?.id ?? '');
    onShare();
  };
  const acts = [
    {
      name: 'pay-for-two',
      title: isOpen ? 'Only this visit' : 'Pay for two',
      isShown: mayPay,
      press: () => visits.payForMore(id),
    },
    {
      name: 'share',
      title: Number(last?.back?.refundableTip ?? 0) > 0 ? 'Share the tip' : 'Share it',
      isShown: isPaid && last !== undefined,
      press: ask('share'),
    },
    {
      name: 'move',
      title: 'Wrong visit? Move it',
      isShown: isPaid && last !== undefined,
      press: ask('move'),
    },
  ];
  return (
    <View style={{ flexDirection: 'row', gap, height: rowHeight, margin: gap, marginBottom: 0 }}>
      {acts.map(({ name, title, isShown, press }) => (
        <View key={name} style={{ flex: 1, flexBasis: 0, flexDirection: 'row' }}>
          {isShown && tipFor === undefined && (
            <Button title={title} testID={`act-${name}`} onPress={press} />
          )}
        </View>
      ))}
    </View>
  );
}

interface ChoiceProps {
  readonly id: string;
  readonly label: string;
  readonly note: string;
  readonly role: 'checkbox' | 'radio';
  readonly isChosen: boolean;
  readonly isOff?: boolean;
  readonly onPress: () => void;
}

function Choice({ id, label, note, role, isChosen, isOff = false, onPress }: ChoiceProps) {
  const theme = useTheme();
  const color = isOff ? theme.soft : theme.ink;
  const mark = role === 'checkbox' ? ['☐', '☑'] : ['○', '●'];
  return (
    <Pressable
      accessibilityRole={role}
      accessibilityState={{ checked: isChosen, disabled: isOff }}
      disabled={isOff}
      testID={`choice-${id}`}
      onPress={onPress}
      style={{
        minHeight: 44,
        paddingHorizontal: 8,
        borderRadius: 8,
        borderWidth: 1,
        borderColor: isChosen ? theme.accent : theme.line,
        backgroundColor: theme.paper,
        flexDirection: 'row',
        alignItems: 'center',
        gap: 8,
      }}
    >
      <Text style={{ color: isChosen ? theme.accent : color, fontSize: 18 }}>
        {mark[isChosen ? 1 : 0]}
      </Text>
      <Text numberOfLines={1} style={{ color, fontSize: 16, flex: 1, minWidth: 0 }}>
        {label}
      </Text>
      <Text style={{ color, fontSize: 16 }}>{note}</Text>
    </Pressable>
  );
}

/** The other visits that the same card may pay. */
export function Others({ appointmentId: id }: { readonly appointmentId: string }) {
  const { visits } = useShop();
  const { ink } = useTheme();
  const chosen = visits.factsOf(id).alsoPays ?? [];
  return (
    <View style={{ gap: 6 }}>
      <Text style={{ color: ink, fontSize: 14 }}>This card also pays for</Text>
      {visits.others(id).map(({ id: other, name, left }) => (
        <Choice
          key={other}
          id={other}
          label={name}
          note={left}
          role="checkbox"
          isChosen={chosen.some(({ appointmentId }) => appointmentId === other)}
          onPress={() => visits.payAlso(id, other)}
        />
      ))}
    </View>
  );
}

interface Props {
  readonly desk: SharingDesk;
  readonly appointmentId: string;
  readonly onBack: () => void;
}

/** Asks whose a payment is, and says so after the last press. */
export function Sharing({ desk, appointmentId: id, onBack }: Props) {
  const { today, visits } = useShop();
  const theme = useTheme();
  useSyncExternalStore(visits.subscribe, visits.version);
  const screen = shareScreenOf(visits.shareFacts(id));
  const { tone, said, todo, choices, fields, confirm } = screen;
  const { is } = desk.getSnapshot();
  // A refused question can be answered again, so that it fills no screen as a declined card does.
  const colours = toneOf(theme, tone === 'bad' ? 'wait' : tone);
  const text = { color: colours.color, textAlign: 'center', fontSize: 16 } as const;
  const { customer, service, time } = visitOf(today, id);
  const leave = () => {
    desk.leave();
    onBack();
  };
  return (
    <View style={{ flex: 1 }} testID={`sharing-${is}`}>
      <ScrollView
        style={{
          flex: 1,
          margin: gap,
          marginBottom: 0,
          borderRadius: 12,
          borderWidth: 1,
          borderColor: colours.border,
          backgroundColor: colours.backgroundColor,
        }}
        contentContainerStyle={{ padding: 12, gap: 8, alignItems: 'stretch' }}
      >
        <Text style={text} numberOfLines={1}>
          {`${customer}, ${service} ${time}`.trim()}
        </Text>
        <Text
          accessibilityLiveRegion="polite"
          testID="sharing-said"
          style={{ ...text, color: colours.strong, fontSize: 18, fontWeight: '700' }}
        >
          {said}
        </Text>
        {todo !== '' && <Text style={text}>{todo}</Text>}
        {choices.map(({ id: choice, label, note, isChosen, isOff }) => (
          <Choice
            key={choice}
            id={choice}
            label={label}
            note={note}
            role="radio"
            isChosen={isChosen}
            isOff={isOff}
            onPress={() => desk.choose({ to: choice, price: undefined, tip: undefined })}
          />
        ))}
        {fields.map(({ name, label, value, isWrong }) => (
          <View key={name} style={{ flexDirection: 'row', alignItems: 'center', gap: 8 }}>
            <Text style={{ color: theme.ink, fontSize: 16, flex: 1 }}>{label}</Text>
            <TextInput
              accessibilityLabel={label}
              inputMode="decimal"
              maxLength={9}
              style={{
                width: 96,
                borderWidth: 1,
                borderColor: isWrong ? theme.bad : theme.line,
                borderRadius: 8,
                padding: 8,
                fontSize: 16,
                textAlign: 'right',
                color: theme.ink,
                backgroundColor: theme.paper,
              }}
              value={value}
              onChangeText={(typed) => desk.choose({ [name]: typed.trim() })}
            />
          </View>
        ))}
      </ScrollView>
      {/* Above the room of the card's controls, so that no second tap meets one of them. */}
      <View style={{ flexDirection: 'row', gap, height: rowHeight, margin: gap }}>
        <View style={{ flex: 1, flexDirection: 'row' }}>
          {is !== 'running' && (
            <Button
              title={is === 'done' ? 'Back to the card' : 'Leave it'}
              testID="sharing-leave"
              onPress={leave}
            />
          )}
        </View>
        <View style={{ flex: 2, flexDirection: 'row' }}>
          {confirm !== undefined && is !== 'running' && (
            <Button
              title={confirm.label}
              testID="sharing-confirm"
              isMain
              onPress={() => void desk.answer(confirm)}
            />
          )}
        </View>
      </View>
      <View style={{ height: dockHeight }} />
    </View>
  );
}
