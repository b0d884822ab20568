/** Version of this package, for `User-Agent`. A test keeps it equal to package.json. @publicApi */
export const PAYMENTS_VERSION = '0.1.0';
