import type { TippedPayment } from '@chairside/client/tips';
import { useEffect, useState } from 'react';
import { Button, Text, View } from 'react-native';
import { useShop } from './shop.ts';

interface Props {
  readonly paymentId: string;
  readonly currency: string | undefined;
}

/** The captured payment, and the owner's buttons to give the money back: the tip alone, or all that is left. */
export function Receipt({ paymentId, currency = '' }: Props) {
  const { client, refunds } = useShop();
  const [paid, setPaid] = useState<TippedPayment>();
  const [refunded, setRefunded] = useState('');
  const [back, setBack] = useState<'nothing' | 'tip' | 'all'>('nothing');

  useEffect(() => {
    void client
      .getContactlessPayment({ contactlessPaymentId: paymentId })
      .then((read) => read.isOk() && setPaid(read.value));
  }, [client, paymentId]);

  async function refund(part: 'tip' | 'all') {
    setRefunded('Giving the money back…');
    setBack(part);
    // One key for each payment and part: another press, or a press after a kill, finds the same refund.
    const key = part === 'tip' ? `refund-tip-${paymentId}` : `refund-${paymentId}`;
    const done = await refunds?.refundPayment({
      contactlessPaymentId: paymentId,
      idempotencyKey: key,
      body: part === 'tip' ? { amount: paid?.tip, tip: paid?.tip } : undefined,
    });
    setRefunded(
      done?.match(
        ({ amount }) => `Refunded: ${currency} ${amount}`,
        ({ title, recovery }) =>
          recovery.outcome === 'unknown' ? 'Not known. Refund it again.' : `Not refunded: ${title}`,
      ) ?? '',
    );
  }

  const card = paid?.card?.maskedPersonalAccountNumber;
  return (
    <View style={{ gap: 8 }}>
      <Text accessibilityRole="header">Receipt</Text>
      <Text>{`${currency} ${paid?.amount ?? '…'}${card === undefined ? '' : `, card ${card}`}`}</Text>
      {paid?.tip !== undefined && <Text>{`Tip in it: ${currency} ${paid.tip}`}</Text>}
      <Text>
        {paid?.capturedAt === undefined ? '' : new Date(paid.capturedAt).toLocaleString()}
      </Text>
      <Text>{`Payment ${paymentId}`}</Text>
      {back === 'nothing' && paid?.tip !== undefined && refunds !== undefined && (
        <Button title="Refund the tip" onPress={() => void refund('tip')} />
      )}
      {back !== 'all' && refunds !== undefined && (
        <Button title="Refund" onPress={() => void refund('all')} />
      )}
      <Text accessibilityLiveRegion="polite">{refunded}</Text>
    </View>
  );
}
