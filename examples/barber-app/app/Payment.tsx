import { useEffect, useState } from 'react';
import { Button, Text, View } from 'react-native';
import { type Action, actionsOf, secondsLeft } from './screen.ts';
import { register } from './till.ts';
import { useTaking } from './useTaking.ts';

interface Props {
  readonly appointmentId: string;
  readonly onBack: () => void;
}

const titles: Readonly<Record<Action, string>> = {
  take: 'Take the payment',
  resume: 'Check again',
  stop: 'Stop',
  forget: 'Drop this payment',
  back: 'Back',
};

export function Payment({ appointmentId, onBack }: Props) {
  const taking = useTaking(appointmentId);
  const [now, setNow] = useState(Date.now());

  // After a restart, the server is asked first about an unfinished payment.
  useEffect(() => {
    void register.unfinished().then((left) => {
      const isUnfinished = left?.some((each) => each.appointmentId === appointmentId);
      void (isUnfinished ? register.resume(appointmentId) : register.take({ appointmentId }));
    });
  }, [appointmentId]);

  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, []);

  const run: Readonly<Record<Action, () => void>> = {
    take: () => void register.take({ appointmentId }),
    resume: () => void register.resume(appointmentId),
    stop: () => register.stop(),
    forget: () => void register.forget(appointmentId).then((isGone) => isGone && onBack()),
    back: onBack,
  };
  const seconds = secondsLeft(taking, now);
  return (
    <View style={{ padding: 16, gap: 16 }}>
      {taking.amount !== undefined && <Text>{`${taking.currency} ${taking.amount}`}</Text>}
      <Text accessibilityLiveRegion="polite">{taking.words}</Text>
      {seconds !== undefined && <Text>{`Next attempt in ${seconds} s`}</Text>}
      {taking.paidBy !== undefined && (
        <Text>
          {`Paid: ${taking.paidBy.amount}, card ${taking.paidBy.card?.maskedPersonalAccountNumber}, ${taking.paidBy.capturedAt}`}
        </Text>
      )}
      {taking.readerSaid !== undefined && <Text>{taking.readerSaid}</Text>}
      {actionsOf(taking).map((action) => (
        <Button key={action} title={titles[action]} onPress={run[action]} />
      ))}
    </View>
  );
}
