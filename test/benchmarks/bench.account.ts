/** The account whose deliveries are signed, by whoever sends or takes them. */
export const API_KEY = 'bench-api-key';
export const TILL = '514459';
