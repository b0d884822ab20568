/** Examples of what the platform posts, for programs such as the `tillkit` command. They need no platform. */
export { exampleWebhook } from '../webhook-events/webhook-body.js';
export { sampleReference, sampleResource } from '../webhook-events/sample-resources.js';
