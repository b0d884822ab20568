import type {
  Attributes,
  BatchObservableResult,
  Counter,
  Histogram,
  Meter,
  MeterProvider,
  Observable,
} from '@opentelemetry/api';
import { PAYMENTS_VERSION } from '../../payments-version.js';
import { AnomaliesStore, type Anomaly, anomalyKind } from '../../store/anomalies.store.js';
import { SafeLogger } from '../logging.js';
import { ATTRIBUTE, type Metric, METRICS, SCOPE } from './metrics-list.js';
import { telemetryApi } from './telemetry.js';

type MetricOf<Type extends Metric['type']> = Metric & { readonly type: Type };

/** Reports what is measured, and with which attributes. */
export type Measured = (metric: MetricOf<'gauge'>, value: number, attributes?: Attributes) => void;

/** The instruments that one SDK has made. */
class Instruments {
  private readonly made = new Map<string, Counter | Histogram | Observable>();

  constructor(private readonly meter: Meter) {}

  counter(metric: MetricOf<'counter'>): Counter {
    return this.instrument(metric, () => this.meter.createCounter(metric.name, metric));
  }

  histogram(metric: MetricOf<'histogram'>): Histogram {
    const { boundaries } = metric;
    return this.instrument(metric, () =>
      this.meter.createHistogram(metric.name, {
        unit: metric.unit,
        description: metric.description,
        ...(boundaries && { advice: { explicitBucketBoundaries: boundaries } }),
      }),
    );
  }

  gauge(metric: MetricOf<'gauge'>): Observable {
    return this.instrument(metric, () => this.meter.createObservableGauge(metric.name, metric));
  }

  observe(gauges: readonly Observable[], read: (result: BatchObservableResult) => Promise<void>) {
    this.meter.addBatchObservableCallback(read, [...gauges]);
    return () => this.meter.removeBatchObservableCallback(read, [...gauges]);
  }

  private instrument<I extends Counter | Histogram | Observable>(
    { name }: Metric,
    make: () => I,
  ): I {
    const existing = this.made.get(name);
    if (existing) return existing as I;
    const made = make();
    this.made.set(name, made);
    return made;
  }
}

/**
 * The instruments by the provider that an SDK has registered for this process, or by the one of the API that does nothing. To make an
 * instrument again for each value would cost more than to record the value. Applications in one process share the SDK, so they share these.
 */
const instruments = new WeakMap<MeterProvider, Instruments>();

function current(): Instruments | undefined {
  const provider = telemetryApi()?.metrics.getMeterProvider();
  if (!provider) return undefined;
  let made = instruments.get(provider);
  if (!made) {
    made = new Instruments(provider.getMeter(SCOPE, PAYMENTS_VERSION));
    instruments.set(provider, made);
  }
  return made;
}

/** Adds one to a counter. */
export function count(metric: MetricOf<'counter'>, attributes: Attributes): void {
  current()?.counter(metric).add(1, attributes);
}

/** Records a duration in seconds. */
export function record(metric: MetricOf<'histogram'>, ms: number, attributes: Attributes): void {
  current()
    ?.histogram(metric)
    .record(ms / 1_000, attributes);
}

/**
 * Has gauges read whenever an SDK collects.
 * @param read must end in time, also when the store hangs: the exporter waits for it
 * @returns ends it
 */
export function observe(
  gauges: readonly MetricOf<'gauge'>[],
  read: (measured: Measured) => Promise<void>,
): () => void {
  const own = current();
  if (!own) return () => undefined;
  return own.observe(
    gauges.map((metric) => own.gauge(metric)),
    (result) =>
      read((metric, value, attributes) => result.observe(own.gauge(metric), value, attributes)),
  );
}

SafeLogger.whenLost = () => count(METRICS.lostLogLines, {});

/** A store of anomalies that also counts them as a metric. The text of an anomaly may have words of the platform: the metric has its kind. */
export class CountedAnomalies extends AnomaliesStore {
  constructor(private readonly store: AnomaliesStore) {
    super();
  }

  record(account: string, what: string, example: string): Promise<void> {
    count(METRICS.anomalies, { [ATTRIBUTE.anomaly]: anomalyKind(what) });
    return this.store.record(account, what, example);
  }

  list(account: string): Promise<Anomaly[]> {
    return this.store.list(account);
  }
}
