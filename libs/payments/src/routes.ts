/** What a package with pages of its own needs to receive forms: bodies that are limited in size and time. Applications do not need it. */
export { rawBodyOf, type RawBody } from './deliveries/routes/raw-body.js';
export {
  type DeliveryRouteMark,
  type FormRouteMark,
  RawRoute,
  type RawRouteMark,
} from './deliveries/routes/raw-route.decorator.js';
