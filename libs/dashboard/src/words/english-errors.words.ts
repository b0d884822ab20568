/** A visitor gets these pages instead of the one that was asked for. */
export const errors = {
  notFound: {
    page: {
      title: 'There is no such page',
      text: 'The address may be incomplete or mistyped, or the page belongs to another account.',
    },
    file: {
      title: 'There is no such file',
      text: 'The address may be incomplete or mistyped, or the file belongs to another version.',
    },
    operation: {
      title: 'There is no such operation',
      text: 'The address may be incomplete or mistyped, or it belongs to another account.',
    },
    transaction: {
      title: 'There is no such transaction',
      text: 'The address may be incomplete or mistyped, or the transaction belongs to another account.',
    },
    delivery: {
      title: 'There is no such delivery',
      text: 'The address may be incomplete or mistyped, or the delivery belongs to another account.',
    },
    account: {
      title: 'There is no such account',
      text: 'Its name may be mistyped (upper and lower case differ), or you may not see it. If it was used before, the application does not load it any more: its PaymentsAccountsSource must return it, with removed: true if the merchant has left.',
    },
  },
  cursor: {
    title: 'There is no such page of the list',
    text: 'The address is damaged. Start at the first page of the list.',
  },
  foreignForm: {
    title: 'The form was not sent by this dashboard',
    text: 'Changes are accepted only from forms of the dashboard itself. Load the page again, then send its form.',
  },
  period: {
    title: 'The period is not valid',
    names: 'Choose today, yesterday, 7d, 30d or month, or enter two days.',
    days: 'Write a day as 2026-11-21.',
    lastDay: 'The calendar ends with this day. Choose an earlier one.',
    order: 'The last day must not be before the first.',
    tooLong: (days: number) => `The period is longer than ${days} days. Choose a shorter one.`,
  },
  formIncomplete: {
    title: 'The form is not complete',
    text: 'It has no key, by which a repeat is recognised. Nothing was done. Open the form again with the link of the page.',
  },
  formChanged: {
    title: 'The form is not what its page has shown',
    text: 'Something in it was changed after the page had shown it. Nothing was done. Open the form again, and compare it before you press the button.',
  },
  formUsed: {
    title: 'This form was used before',
    text: 'It was sent before with other values. What it asked for then was done once; nothing more was done. Open a new form.',
  },
  note: {
    title: 'The note was not written',
    text: 'Write a text of at most 500 characters, without control characters.',
  },
  reviews: {
    title: 'The address names no reviews',
    text: 'It must have a kind, a cause and a time. Go back to the reviews and follow a link there.',
  },
  deadLetter: {
    title: 'The form names no dead letter',
    text: 'The form has neither an id nor which=all. Go back to the dead letters and use a button there.',
  },
  sending: {
    title: 'Nothing was changed',
    text: 'Write a reason of at most 500 characters, without control characters, and use the button of the page. The history shows the reason.',
  },
  storeUnavailable: {
    title: 'The store of payments is unavailable',
    text: 'Nothing is lost: the platform repeats its deliveries until the store is back. Load this page again in a moment.',
  },
  tooManyViewers: {
    title: 'Too many pages are open',
    text: 'The page shows no changes by itself now. Load it again, or close other pages of the dashboard.',
  },
  failed: {
    title: 'This page failed',
    text: 'The log of the application has the error.',
  },
};
