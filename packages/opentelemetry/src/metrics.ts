import { type Observation, type Observer, secondMs } from '@chairside/core';
import { type Histogram, type Meter, ValueType } from '@opentelemetry/api';
import { attributesOf } from './attributes.ts';

/** Seconds: those of OpenTelemetry's HTTP metrics, and the processor's deadline beyond them. */
const boundaries = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20];

export function createMetricObserver(meter: Meter): Observer {
  const durations = {
    operation: duration(meter, 'chairside.operation.duration', 'Duration of use cases.'),
    processorCall: duration(meter, 'chairside.processor.duration', 'Duration of processor calls.'),
    commit: duration(meter, 'chairside.commit.duration', 'Duration of commits to the store.'),
  };
  const failures = meter.createCounter('chairside.failures', {
    description: 'Failures of the database, of limiters, event handlers and parts of upkeep.',
    unit: '{failure}',
    valueType: ValueType.INT,
  });
  const reviews = meter.createCounter('chairside.reviews.opened', {
    description: 'Payments that were put on the list of reviews.',
    unit: '{review}',
    valueType: ValueType.INT,
  });

  // `increase` sees no first event in a series that begins with it.
  reviews.add(0);
  for (const outcome of ['deadLetter', 'neverDelivered']) {
    failures.add(0, { 'chairside.failure.name': 'deliverEvents', 'error.type': outcome });
  }

  return (seen) => {
    if (seen.kind === 'failure') return failures.add(1, attributesOf(seen));
    durations[seen.kind].record((seen.endedAt - seen.startedAt) / secondMs, attributesOf(seen));
    const opened = reviewsIn(seen);
    if (opened > 0) reviews.add(opened);
  };
}

function reviewsIn(seen: Observation): number {
  if (seen.kind !== 'commit' || seen.outcome !== 'ok') return 0;
  return seen.changes.filter((change) => change === 'insertReview').length;
}

function duration(meter: Meter, name: string, description: string): Histogram {
  return meter.createHistogram(name, {
    description,
    unit: 's',
    valueType: ValueType.DOUBLE,
    advice: { explicitBucketBoundaries: boundaries },
  });
}
