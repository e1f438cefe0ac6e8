import { Component, type ReactNode } from 'react';
import { Text, View } from 'react-native';
import { Button, rowHeight, useTheme } from './theme.tsx';

interface Props {
  readonly children: ReactNode;
  readonly onBack: () => void;
}

/** A screen that fails must not hide a payment: its note is on the phone, and "Today" marks it. */
export class ErrorBoundary extends Component<Props, { readonly hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override render() {
    if (!this.state.hasFailed) return this.props.children;
    const goBack = () => {
      this.props.onBack();
      this.setState({ hasFailed: false });
    };
    return <Failed onBack={goBack} />;
  }
}

function Failed({ onBack }: { readonly onBack: () => void }) {
  const { ink } = useTheme();
  return (
    <View style={{ flex: 1, padding: 16, gap: 16 }}>
      <Text accessibilityRole="alert" style={{ color: ink, fontSize: 18 }}>
        This screen failed. It is not known here what happened to the money. Do not charge again: go
        back, and open the visit to see it.
      </Text>
      <View style={{ height: rowHeight, flexDirection: 'row' }}>
        <Button title="Back to today" onPress={onBack} />
      </View>
    </View>
  );
}
