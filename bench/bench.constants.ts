/** Senders and receivers of deliveries share this account. */
export const API_KEY = 'bench-api-key';
export const TILL = '514459';
