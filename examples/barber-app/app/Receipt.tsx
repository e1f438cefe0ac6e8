import type { Paid } from '@chairside/client';
import { useEffect, useState } from 'react';
import { Button, Text, View } from 'react-native';
import { useShop } from './shop.ts';

interface Props {
  readonly paymentId: string;
  readonly currency: string | undefined;
}

/** The captured payment, and the owner's button to give the money back. */
export function Receipt({ paymentId, currency = '' }: Props) {
  const { client, refunds } = useShop();
  const [paid, setPaid] = useState<Paid>();
  const [refunded, setRefunded] = useState('');

  useEffect(() => {
    void client
      .getContactlessPayment({ contactlessPaymentId: paymentId })
      .then((read) => read.isOk() && setPaid(read.value));
  }, [client, paymentId]);

  async function refund() {
    setRefunded('Giving the money back…');
    // One key for each payment: another press, or a press after a kill, finds the same refund.
    const done = await refunds?.refundPayment({
      contactlessPaymentId: paymentId,
      idempotencyKey: `refund-${paymentId}`,
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
      <Text>
        {paid?.capturedAt === undefined ? '' : new Date(paid.capturedAt).toLocaleString()}
      </Text>
      <Text>{`Payment ${paymentId}`}</Text>
      {refunded === '' && refunds !== undefined && (
        <Button title="Refund" onPress={() => void refund()} />
      )}
      <Text accessibilityLiveRegion="polite">{refunded}</Text>
    </View>
  );
}
