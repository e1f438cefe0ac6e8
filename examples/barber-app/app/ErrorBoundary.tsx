import { Component, type ReactNode } from 'react';
import { Button, Text, View } from 'react-native';

interface Props {
  readonly children: ReactNode;
}

/** A screen that fails must not hide a payment: its note is on the phone, and "Today" lists it. */
export class ErrorBoundary extends Component<Props, { readonly hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override render() {
    if (!this.state.hasFailed) return this.props.children;
    return (
      <View style={{ padding: 16, gap: 16 }}>
        <Text accessibilityRole="alert">
          This screen failed. Do not charge again: look under "Unfinished" first.
        </Text>
        <Button title="Back to today" onPress={() => this.setState({ hasFailed: false })} />
      </View>
    );
  }
}
