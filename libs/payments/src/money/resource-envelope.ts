/** The envelope of every resource that we read or that the platform posts: `data` with `id`, `type` and `attributes`. */
export interface ResourceEnvelope {
  id: string;
  type: string;
  attributes: Record<string, unknown>;
  links: { callbackUrl: string | null; self: string | null };
  /** A later time in it cannot be true, see `timestampOf`. */
  latest?: number | undefined;
  /** The whole `data` object as it came, except that the MAC in its callback URL, a secret, is replaced by its hash. */
  raw: Record<string, unknown>;
}
