import type { Screen } from '@chairside/client/screen';
import { Pressable, Text, useColorScheme } from 'react-native';

const light = {
  ground: '#f6f5f2',
  paper: '#ffffff',
  ink: '#1d1f23',
  soft: '#5b5f66',
  line: '#8a8d93',
  accent: '#0b5d5e',
  onAccent: '#ffffff',
  good: '#1b6e3c',
  bad: '#a3291f',
  wait: '#7a5200',
  onTone: '#ffffff',
};
const dark: typeof light = {
  ground: '#16171a',
  paper: '#1f2125',
  ink: '#ececea',
  soft: '#a6aab2',
  line: '#7b7f87',
  accent: '#63c7c3',
  onAccent: '#0f1b1b',
  good: '#7bd69a',
  bad: '#ff9d90',
  wait: '#f0c169',
  onTone: '#10160f',
};

export const useTheme = () => (useColorScheme() === 'dark' ? dark : light);

/** Approved and declined fill the screen; what nobody knows looks like neither. */
export function toneOf(theme: typeof light, tone: Screen['tone']) {
  const fill = tone === 'good' ? theme.good : tone === 'bad' ? theme.bad : theme.paper;
  const isFilled = tone === 'good' || tone === 'bad';
  return {
    backgroundColor: fill,
    color: isFilled ? theme.onTone : theme.ink,
    strong: isFilled ? theme.onTone : tone === 'plain' ? theme.ink : theme.wait,
    border: tone === 'unknown' ? theme.wait : isFilled ? fill : theme.line,
  };
}

/** The height of a control, and of the room that the controls of a visit have at the bottom of the screen. */
export const rowHeight = 48;
export const gap = 8;
export const dockHeight = 4 * rowHeight + 5 * gap;

interface ButtonProps {
  readonly title: string;
  readonly onPress: () => void;
  readonly isMain?: boolean;
  readonly testID?: string;
  readonly label?: string;
}

export function Button({ title, onPress, isMain = false, testID, label }: ButtonProps) {
  const theme = useTheme();
  return (
    <Pressable
      accessibilityRole="button"
      accessibilityLabel={label}
      testID={testID}
      onPress={onPress}
      style={{
        flex: 1,
        minHeight: rowHeight,
        paddingHorizontal: 6,
        borderRadius: 8,
        borderWidth: 1,
        borderColor: isMain ? theme.accent : theme.line,
        backgroundColor: isMain ? theme.accent : theme.paper,
        alignItems: 'center',
        justifyContent: 'center',
      }}
    >
      <Text
        style={{
          color: isMain ? theme.onAccent : theme.ink,
          fontSize: 16,
          fontWeight: isMain ? '700' : '500',
          textAlign: 'center',
        }}
      >
        {title}
      </Text>
    </Pressable>
  );
}
