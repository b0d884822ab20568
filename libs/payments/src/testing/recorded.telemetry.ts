import { context, metrics, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type ReadableSpan,
} from '@opentelemetry/sdk-trace-base';

/** One value of a metric. `value` of a histogram is the number of measurements. */
export interface Point {
  metric: string;
  unit: string;
  value: number;
  attributes: Readonly<Record<string, unknown>>;
}

/** The SDK of OpenTelemetry, as a host registers it, with exporters that keep everything in memory. */
export class RecordedTelemetry {
  private readonly exported = new InMemorySpanExporter();
  private readonly tracers = new BasicTracerProvider({
    spanProcessors: [new SimpleSpanProcessor(this.exported)],
  });
  private readonly metricExporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  private readonly meters = new MeterProvider({
    readers: [
      new PeriodicExportingMetricReader({
        exporter: this.metricExporter,
        // The reader exports only when a test asks.
        exportIntervalMillis: 2 ** 31 - 1,
      }),
    ],
  });

  /** Registers the SDK for this process. Do it before the application starts. */
  start(): void {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    trace.setGlobalTracerProvider(this.tracers);
    metrics.setGlobalMeterProvider(this.meters);
  }

  async stop(): Promise<void> {
    trace.disable();
    metrics.disable();
    context.disable();
    await Promise.all([this.tracers.shutdown(), this.meters.shutdown()]);
  }

  /** The spans that have ended, in the order of their ends. */
  get spans(): readonly ReadableSpan[] {
    return this.exported.getFinishedSpans();
  }

  named(name: string): ReadableSpan[] {
    return this.spans.filter((span) => span.name === name);
  }

  /** Returns the span of this name that fits, as soon as it has ended. */
  async ended(
    name: string,
    fits: (span: ReadableSpan) => boolean = () => true,
  ): Promise<ReadableSpan> {
    for (;;) {
      const span = this.named(name).find(fits);
      if (span) return span;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  /** Collects all metrics now. */
  async points(metric?: string): Promise<Point[]> {
    await this.meters.forceFlush();
    const { scopeMetrics = [] } = this.metricExporter.getMetrics().at(-1) ?? {};
    return scopeMetrics
      .flatMap((scope) => scope.metrics)
      .filter(({ descriptor }) => metric === undefined || descriptor.name === metric)
      .flatMap(({ descriptor, dataPoints }) =>
        dataPoints.map(({ value, attributes }) => ({
          metric: descriptor.name,
          unit: descriptor.unit,
          value: typeof value === 'number' ? value : value.count,
          attributes,
        })),
      );
  }

  /** Returns the sum of a metric over all points with these attributes. */
  async sum(metric: string, attributes: Readonly<Record<string, unknown>> = {}): Promise<number> {
    const fits = (point: Point): boolean =>
      Object.entries(attributes).every(([name, value]) => point.attributes[name] === value);
    const points = (await this.points(metric)).filter(fits);
    return points.reduce((sum, { value }) => sum + value, 0);
  }
}
