import { ownTip, type TipChoice, tipChoices, tipWords } from '@chairside/client/tips';
import { useState } from 'react';
import { Button, Text, TextInput, View } from 'react-native';

interface Props {
  readonly price: string;
  readonly currency: string | undefined;
  readonly onChoose: (choice: TipChoice) => void;
  readonly onBack: () => void;
}

/** Asks before the card. No tip is a button like the others, and no button is chosen in advance. */
export function Tip({ price, currency = '', onChoose, onBack }: Props) {
  const [typed, setTyped] = useState('');
  const own = ownTip(price, typed);
  const button = (choice: TipChoice, title: string) => (
    <Button
      key={title}
      title={title}
      accessibilityLabel={tipWords(choice, currency)}
      onPress={() => onChoose(choice)}
    />
  );
  return (
    <View style={{ padding: 16, gap: 16 }}>
      <Text>{`${currency} ${price}`}</Text>
      <Text accessibilityRole="header">Would you like to add a tip?</Text>
      {tipChoices(price).map((choice) =>
        button(choice, choice.percent === 0 ? 'No tip' : `Tip ${choice.tip} (${choice.percent} %)`),
      )}
      <TextInput
        accessibilityLabel="Own tip"
        inputMode="decimal"
        maxLength={9}
        placeholder="Own tip"
        style={{ borderWidth: 1, padding: 8 }}
        value={typed}
        onChangeText={setTyped}
      />
      {own !== undefined && button(own, own.tip === '0.00' ? 'No tip, as typed' : `Tip ${own.tip}`)}
      <Button title="Back" onPress={onBack} />
    </View>
  );
}
