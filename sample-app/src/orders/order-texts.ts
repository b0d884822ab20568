import type { PaymentFailureReason } from '@tillkit/payments/types';
import type { OrderState } from './order.js';

interface StateText {
  readonly headline: string;
  readonly text: string;
  /** Name of the picture in `public/pictures`. */
  readonly picture: 'waiting' | 'checking' | 'failed' | 'paid';
}

const SENDING: StateText = {
  headline: 'Sending the request',
  text: 'In a moment your phone asks for your PIN.',
  picture: 'waiting',
};

/** The customer reads one of these texts in each state of the order. */
export const STATE_TEXTS: Readonly<Record<OrderState, StateText>> = {
  created: SENDING,
  requested: SENDING,
  pending: {
    headline: 'Check your phone',
    text: 'Enter your PIN on the phone to pay. This page changes by itself.',
    picture: 'waiting',
  },
  unknown: {
    headline: 'Finding out',
    text: 'The payment service did not answer clearly. If your phone asks for your PIN, you can enter it.',
    picture: 'checking',
  },
  needs_review: {
    headline: 'We are checking this payment',
    text: 'A person must look at it. Please do not pay again: keep this page, and we will solve it.',
    picture: 'checking',
  },
  failed: {
    headline: 'The payment did not go through',
    text: '',
    picture: 'failed',
  },
  succeeded: {
    headline: 'Paid. Asante!',
    text: 'We have your payment and are packing your order.',
    picture: 'paid',
  },
  reversed: {
    headline: 'Your money was given back',
    text: 'The payment was reversed and the order is closed. The money returns to the account it came from.',
    picture: 'failed',
  },
  shared: {
    headline: 'Share the payment link',
    text: 'Whoever opens it can pay this order, once. This page changes by itself.',
    picture: 'waiting',
  },
  refunding: {
    headline: 'Refund under way',
    text: 'The money is on its way back to the phone that paid.',
    picture: 'waiting',
  },
  refunded: {
    headline: 'Refunded',
    text: 'The money went back to the phone that paid, and the order is closed.',
    picture: 'paid',
  },
  refund_failed: {
    headline: 'Refund failed',
    text: 'No money went back, and the order is still paid.',
    picture: 'failed',
  },
  refund_review: {
    headline: 'We are checking this refund',
    text: 'A person must look at it. Please keep this page, and we will solve it.',
    picture: 'checking',
  },
};

/** Explains why a payment failed, in one sentence that helps the customer. */
export const FAILURE_TEXTS: Readonly<Record<PaymentFailureReason, string>> = {
  cancelled: 'The request was cancelled on your phone, so no money was taken.',
  timeout:
    'Your phone did not answer in time: check that it is on and has signal, and keep it at hand.',
  insufficient_funds: 'There was not enough money in the account to pay this.',
  wrong_pin: 'The PIN was not right, so no money was taken.',
  limit: 'The amount is outside the limits of your mobile-money account.',
  busy: 'Your phone was busy with another payment: finish that one, wait a minute, and try again.',
  rejected: 'The payment service did not accept this request: check the phone number.',
  not_sent: 'We could not reach the payment service, so your phone was never asked.',
  unknown: 'The payment service could not complete the payment, and did not say why.',
};
