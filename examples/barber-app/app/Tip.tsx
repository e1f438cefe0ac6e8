import { ownTip, type TipChoice, tipChoices, tipWords } from '@chairside/client/tips';
import { useState } from 'react';
import { Text, TextInput, View } from 'react-native';
import { Button, useTheme } from './theme.tsx';

interface Props {
  readonly price: string;
  readonly currency: string | undefined;
  readonly onChoose: (choice: TipChoice) => void;
}

/**
 * Asks before the card, with large buttons. No tip is a button like the others, and no button is chosen in advance.
 * Nothing leads back into the shop's screens while the customer holds the phone: the next screen has Stop.
 */
export function Tip({ price, currency = '', onChoose }: Props) {
  const [typed, setTyped] = useState('');
  const { ink, line, paper, soft } = useTheme();
  const own = ownTip(price, typed);
  const button = (choice: TipChoice, title: string, name: string) => (
    <View key={title} style={{ height: 52, flexDirection: 'row' }}>
      <Button
        title={title}
        label={tipWords(choice, currency)}
        testID={`tip-${name}`}
        onPress={() => onChoose(choice)}
      />
    </View>
  );
  return (
    <View style={{ gap: 8 }}>
      <Text
        style={{ color: ink, fontSize: 18, textAlign: 'center' }}
      >{`${currency} ${price}`}</Text>
      <Text accessibilityRole="header" style={{ color: ink, fontSize: 18, textAlign: 'center' }}>
        Would you like to add a tip?
      </Text>
      {tipChoices(price).map((choice) =>
        button(
          choice,
          choice.percent === 0 ? 'No tip' : `Tip ${choice.tip} (${choice.percent} %)`,
          `${choice.percent}`,
        ),
      )}
      <TextInput
        accessibilityLabel="Own tip"
        inputMode="decimal"
        maxLength={9}
        placeholder="Own tip"
        placeholderTextColor={soft}
        style={{
          borderWidth: 1,
          borderColor: line,
          borderRadius: 8,
          padding: 8,
          fontSize: 16,
          color: ink,
          backgroundColor: paper,
        }}
        value={typed}
        onChangeText={setTyped}
      />
      {own !== undefined &&
        button(own, own.tip === '0.00' ? 'No tip, as typed' : `Tip ${own.tip}`, 'own')}
    </View>
  );
}
