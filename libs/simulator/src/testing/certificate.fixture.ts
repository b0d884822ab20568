import { generateKeyPairSync, sign } from 'node:crypto';

const SEQUENCE = 0x30;
const SET = 0x31;
const INTEGER = 0x02;
const BITS = 0x03;
const OCTETS = 0x04;
const OBJECT = 0x06;
const TEXT = 0x0c;
const TIME = 0x18;
const TRUE = Buffer.from([0x01, 0x01, 0xff]);

/** Returns the length of a value in as few bytes as DER wants it. Go refuses a longer form. */
function sizeOf({ length }: Buffer): number[] {
  if (length < 0x80) return [length];
  return length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
}

/** Returns one value of ASN.1 in DER. */
function der(tag: number, ...content: readonly Buffer[]): Buffer {
  const value = Buffer.concat(content);
  return Buffer.concat([Buffer.from([tag, ...sizeOf(value)]), value]);
}

const object = (hex: string): Buffer => der(OBJECT, Buffer.from(hex, 'hex'));
const bits = (value: Buffer): Buffer => der(BITS, Buffer.from([0]), value);
const time = (text: string): Buffer => der(TIME, Buffer.from(text));

const ECDSA_WITH_SHA256 = der(SEQUENCE, object('2a8648ce3d040302'));
const NAME = der(
  SEQUENCE,
  der(SET, der(SEQUENCE, object('550403'), der(TEXT, Buffer.from('localhost')))),
);
const NAMES = der(
  SEQUENCE,
  der(0x82, Buffer.from('localhost')),
  der(0x87, Buffer.from([127, 0, 0, 1])),
);
const EXTENSIONS = der(
  SEQUENCE,
  der(SEQUENCE, object('551d11'), der(OCTETS, NAMES)),
  der(SEQUENCE, object('551d13'), TRUE, der(OCTETS, der(SEQUENCE, TRUE))),
);

/** Returns a self-signed certificate for loopback. Its key is made now, because the repository contains no key of any kind. */
function selfSigned(): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const content = der(
    SEQUENCE,
    der(0xa0, der(INTEGER, Buffer.from([2]))),
    der(INTEGER, Buffer.from([1])),
    ECDSA_WITH_SHA256,
    NAME,
    der(SEQUENCE, time('20200101000000Z'), time('21200101000000Z')),
    NAME,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, EXTENSIONS),
  );
  const signed = der(
    SEQUENCE,
    content,
    ECDSA_WITH_SHA256,
    bits(sign('sha256', content, privateKey)),
  );
  const lines = signed.toString('base64').replace(/.{1,64}/g, '$&\n');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}-----END CERTIFICATE-----\n`,
  };
}

/** A self-signed certificate for loopback. Only tests use it. */
export const CERTIFICATE = selfSigned();
