/** What the platform posts, without a platform: for programs such as the `tillkit` command. */
export { exampleWebhook } from '../webhook-events/webhook-body.js';
export { sampleReference, sampleResource } from '../webhook-events/sample-resources.js';
