import { useState } from 'react';
import { Share, Text, View } from 'react-native';
import { useShop } from './shop.ts';

interface Props {
  readonly paymentId: string;
  readonly color: string;
}

/** The customer's receipt of one payment, read when it is asked for. */
export function Receipt({ paymentId, color }: Props) {
  const { receiptOf } = useShop();
  const [text, setText] = useState<string>();
  const [isMissing, setMissing] = useState(false);

  async function read() {
    const found = await receiptOf(paymentId);
    setText(found);
    setMissing(found === undefined);
  }

  const link = { color, fontSize: 14, paddingVertical: 6, textAlign: 'center' } as const;
  const underlined = { ...link, textDecorationLine: 'underline' } as const;
  if (text === undefined) {
    return (
      <Text accessibilityRole="button" style={underlined} onPress={() => void read()}>
        {isMissing ? 'The receipt could not be read: try again' : 'Receipt'}
      </Text>
    );
  }
  return (
    <View style={{ alignItems: 'center' }}>
      <Text selectable style={{ color, fontFamily: 'monospace', fontSize: 11 }}>
        {text}
      </Text>
      <Text
        accessibilityRole="button"
        style={underlined}
        onPress={() => void Share.share({ message: text })}
      >
        Send it
      </Text>
    </View>
  );
}
