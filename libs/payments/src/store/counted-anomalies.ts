import { METRICS } from '../work/telemetry/metrics-list.js';
import { count } from '../work/telemetry/metrics.js';
import { ATTRIBUTE } from '../work/telemetry/telemetry-names.js';
import { AnomaliesStore, type Anomaly } from './anomalies.store.js';
import { anomalyKind } from './anomaly-kinds.js';

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
