import type { FailureReason } from '@tillkit/payments';
import type { OrderStage } from './order.stage.js';

/** Why a payment failed, in one sentence that helps a customer. */
export const FAILURE_WORDS: Readonly<Record<FailureReason, string>> = {
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

/** What the page says at each stage. */
export const STAGE_WORDS: Readonly<Record<OrderStage, { headline: string; text: string }>> = {
  not_asked: {
    headline: 'Your phone was not asked yet',
    text: 'Something came between your order and the payment. Nothing was taken: you can ask now.',
  },
  asking: {
    headline: 'Sending the request',
    text: 'In a moment your phone asks for your PIN.',
  },
  waiting: {
    headline: 'Check your phone',
    text: 'Enter your PIN on the phone to pay. This page changes by itself.',
  },
  unclear: {
    headline: 'We are finding out',
    text: 'The payment service did not answer clearly. If your phone asks for your PIN, you can enter it; we never ask twice for one order.',
  },
  checking: {
    headline: 'We are checking this payment',
    text: 'Something about it needs a second look by a person. Please do not pay again: keep this page, and we will sort it out.',
  },
  failed: {
    headline: 'The payment did not go through',
    text: '',
  },
  paid: {
    headline: 'Paid. Asante!',
    text: 'We have your payment and are packing your order.',
  },
  refunded: {
    headline: 'Your money was given back',
    text: 'The payment was reversed and the order is closed. The money returns to the account it came from.',
  },
};
