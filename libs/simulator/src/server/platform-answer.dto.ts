/** An HTTP response of the platform. */
export interface PlatformAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** A fault in sending the answer. @default the whole answer is sent at once */
  readonly manner?: 'never' | 'reset' | 'reset-midway' | { readonly dripMs: number };
}

export function json(
  status: number,
  body: unknown,
  headers?: Readonly<Record<string, string>>,
): PlatformAnswer {
  return jsonText(status, JSON.stringify(body), headers);
}

/** Returns an answer from a text that is JSON already. */
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

/** The platform refuses a request. The server answers `{"error_code", "error_message"}`. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly errorMessage: string | readonly string[],
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(typeof errorMessage === 'string' ? errorMessage : errorMessage.join('; '));
    this.name = 'Refusal';
  }

  answer(): PlatformAnswer {
    return json(
      this.status,
      { error_code: this.status, error_message: this.errorMessage },
      this.headers,
    );
  }
}

/** An OAuth endpoint refuses a request. The server answers `{"error", "error_description"}`. */
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
