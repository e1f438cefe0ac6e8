import type { Register } from '@chairside/client';
import { isBusy } from '@chairside/client/screen';

/** An approved and a declined card are heard and felt: the barber may look at the customer. */
export function signalEnds({ subscribe, getSnapshot }: Register): void {
  let wasBusy = false;
  subscribe(() => {
    const taking = getSnapshot();
    const hasEnded = wasBusy && !isBusy(taking);
    wasBusy = isBusy(taking);
    if (hasEnded && taking.step === 'captured') signal(880, 80);
    if (hasEnded && taking.step === 'declined') signal(220, [80, 80, 80]);
  });
}

function signal(hertz: number, vibration: number | number[]): void {
  // Safari on a phone cannot vibrate.
  navigator.vibrate?.(vibration);
  const audio = new AudioContext();
  const tone = audio.createOscillator();
  tone.frequency.value = hertz;
  tone.connect(audio.destination);
  tone.onended = () => void audio.close();
  tone.start();
  tone.stop(audio.currentTime + 0.25);
}
