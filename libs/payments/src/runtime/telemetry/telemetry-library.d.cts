export function loadTelemetry(): typeof import('@opentelemetry/api');
