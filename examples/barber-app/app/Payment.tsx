import { useEffect, useState, useSyncExternalStore } from 'react';
import { Button, Text, View } from 'react-native';
import { Receipt } from './Receipt.tsx';
import { type Action, actionsOf, choosesTip, secondsLeft } from './screen.ts';
import { useShop } from './shop.ts';
import { Tip } from './Tip.tsx';
import { priceOf } from './today.ts';

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
  const { register, takesTips } = useShop();
  const taking = useSyncExternalStore(register.subscribe, () =>
    register.getSnapshot(appointmentId),
  );
  const [now, setNow] = useState(Date.now());
  const [asksTip, setAsksTip] = useState(false);

  // After a restart, the server is asked first about an unfinished payment.
  useEffect(() => {
    void register.unfinished().then((left) => {
      const isUnfinished = left?.some((each) => each.appointmentId === appointmentId);
      if (isUnfinished) void register.resume(appointmentId);
      else if (takesTips) setAsksTip(true);
      else void register.take({ appointmentId });
    });
  }, [register, appointmentId, takesTips]);

  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, []);

  const run: Readonly<Record<Action, () => void>> = {
    take() {
      if (takesTips && choosesTip(taking)) setAsksTip(true);
      else void register.take({ appointmentId });
    },
    resume: () => void register.resume(appointmentId),
    stop: () => register.stop(),
    forget: () => void register.forget(appointmentId).then((isGone) => isGone && onBack()),
    back: onBack,
  };
  if (asksTip) {
    return (
      <Tip
        price={priceOf(appointmentId)}
        currency={taking.currency}
        onChoose={({ total: amount, tip }) => {
          setAsksTip(false);
          void register.take({ appointmentId, amount, tip });
        }}
        onBack={onBack}
      />
    );
  }
  const seconds = secondsLeft(taking, now);
  const paymentId = taking.paidBy?.id ?? taking.paymentId;
  return (
    <View style={{ padding: 16, gap: 16 }}>
      {taking.amount !== undefined && <Text>{`${taking.currency} ${taking.amount}`}</Text>}
      <Text accessibilityLiveRegion="polite">{taking.words}</Text>
      {seconds !== undefined && <Text>{`Next attempt in ${seconds} s`}</Text>}
      {taking.readerSaid !== undefined && <Text>{taking.readerSaid}</Text>}
      {taking.charged === 'yes' && paymentId !== undefined && (
        <Receipt paymentId={paymentId} currency={taking.currency} />
      )}
      {actionsOf(taking).map((action) => (
        <Button key={action} title={titles[action]} onPress={run[action]} />
      ))}
    </View>
  );
}
