/** The API of OpenTelemetry, as CommonJS: only that can be loaded when it is first needed, without a wait. */
exports.loadTelemetry = () => require('@opentelemetry/api');
