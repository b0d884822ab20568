/**
 * libphonenumber-js with the metadata of mobile phones, as CommonJS: class-validator has loaded its code in this form already, and only
 * the metadata is new. As an ES module it would be loaded a second time, which takes 93 files.
 */
module.exports = require('libphonenumber-js/mobile');
