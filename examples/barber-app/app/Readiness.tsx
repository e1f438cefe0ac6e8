import { useCallback, useEffect, useState } from 'react';
import { Text, View } from 'react-native';
import { type Missing, missingWords } from './readiness.ts';
import { useShop } from './shop.ts';
import { Button, rowHeight, useTheme } from './theme.tsx';

/** Says before the first customer what Tap to Pay lacks. */
export function Readiness() {
  const { missing } = useShop();
  const { ink, wait } = useTheme();
  const [lacks, setLacks] = useState<readonly Missing[]>();
  const check = useCallback(() => {
    setLacks(undefined);
    void missing().then(setLacks);
  }, [missing]);
  useEffect(check, [check]);

  if (lacks === undefined) return <Text style={{ color: ink }}>Connecting the card reader…</Text>;
  if (lacks.length === 0) return <Text style={{ color: ink }}>The card reader is ready.</Text>;
  return (
    <View style={{ flex: 1, gap: 8 }}>
      {lacks.map((each) => (
        <Text key={each} accessibilityRole="alert" style={{ color: wait, fontSize: 16 }}>
          {missingWords[each]}
        </Text>
      ))}
      <View style={{ height: rowHeight, flexDirection: 'row' }}>
        <Button title="Connect" onPress={check} />
      </View>
    </View>
  );
}
