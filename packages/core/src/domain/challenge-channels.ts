import { isLonger, isShowable } from './text.ts';

/**
 * The labels of the ways to send a one-time passcode, for each channel. All callers get the same
 * labels, so the list does not reveal who has an account (D8).
 */
export interface ChallengeChannels {
  readonly phone: readonly string[];
  readonly email: readonly string[];
}

export const defaultChallengeChannels: ChallengeChannels = { phone: ['sms'], email: ['email'] };

const maxLabels = 16;
const maxLabelLength = 64;

/** The fault in a host's labels; `undefined` if they are valid. */
export function faultOfChannels(channels: ChallengeChannels): string | undefined {
  for (const channel of ['phone', 'email'] as const) {
    const labels = channels[channel];
    if (labels.length === 0 || labels.length > maxLabels) {
      return `${channel} must have 1 to ${maxLabels} labels`;
    }
    if (new Set(labels).size < labels.length) return `${channel} has a label twice`;
    if (labels.some((label) => !isLabel(label))) {
      return `a label of ${channel} must have 1 to ${maxLabelLength} visible characters`;
    }
  }
  return undefined;
}

function isLabel(label: string): boolean {
  return label.trim() !== '' && !isLonger(label, maxLabelLength) && isShowable(label);
}
