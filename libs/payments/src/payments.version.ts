/** Version of this package, for `User-Agent`. A spec keeps it equal to package.json. */
export const PAYMENTS_VERSION = '0.1.0';
