/** What the platform answers, before it is written to the socket. */
export interface PlatformAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** How it is written: whole unless said otherwise. */
  readonly manner?: 'never' | 'reset' | 'reset-midway' | { readonly dripMs: number };
}

export function json(
  status: number,
  body: unknown,
  headers?: Readonly<Record<string, string>>,
): PlatformAnswer {
  return jsonText(status, JSON.stringify(body), headers);
}

/** An answer whose JSON text is already there. */
export function jsonText(
  status: number,
  body: string | Buffer,
  headers?: Readonly<Record<string, string>>,
): PlatformAnswer {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body,
  };
}

/** A refusal of the platform: thrown anywhere, answered as `{"error_code", "error_message"}`. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly complaint: string | readonly string[],
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(typeof complaint === 'string' ? complaint : complaint.join('; '));
    this.name = 'Refusal';
  }

  answer(): PlatformAnswer {
    return json(
      this.status,
      { error_code: this.status, error_message: this.complaint },
      this.headers,
    );
  }
}

/** A refusal of an OAuth endpoint: answered as `{"error", "error_description"}`. */
export class OAuthRefusal extends Error {
  constructor(
    readonly status: number,
    readonly error: string,
    readonly description: string,
  ) {
    super(description);
    this.name = 'OAuthRefusal';
  }

  answer(): PlatformAnswer {
    return json(this.status, { error: this.error, error_description: this.description });
  }
}
