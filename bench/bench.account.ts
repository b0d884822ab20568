/** The account whose deliveries are signed: of the senders and of the receivers. */
export const API_KEY = 'bench-api-key';
export const TILL = '514459';
