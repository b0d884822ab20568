export { isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/mobile';
