import { useCallback, useEffect, useState } from 'react';
import { Button, Text, View } from 'react-native';
import { type Missing, missingWords } from './readiness.ts';
import { useShop } from './shop.ts';

/** Says before the first customer what Tap to Pay lacks. */
export function Readiness() {
  const { missing } = useShop();
  const [lacks, setLacks] = useState<readonly Missing[]>();
  const check = useCallback(() => {
    setLacks(undefined);
    void missing().then(setLacks);
  }, [missing]);
  useEffect(check, [check]);

  if (lacks === undefined) return <Text>Connecting the card reader…</Text>;
  if (lacks.length === 0) return <Text>The card reader is ready.</Text>;
  return (
    <View style={{ gap: 8 }}>
      {lacks.map((each) => (
        <Text key={each} accessibilityRole="alert">
          {missingWords[each]}
        </Text>
      ))}
      <Button title="Connect" onPress={check} />
    </View>
  );
}
