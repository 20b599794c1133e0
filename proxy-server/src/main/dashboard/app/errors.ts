/** Problem with one member of a request's body or query, as `details.issues` lists them. */
export interface Issue { param: string; message: string }

/** Why the server did not do a call: the members of its error envelope. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly requestId: string = '',
    readonly param: string | null = null,
    readonly retryAfterSeconds: number | null = null,
    readonly details: Record<string, unknown> = {},
  ) {
    super(message);
  }

  /** Member of the closed list of reasons, or an empty text. */
  get reason(): string {
    return typeof this.details.reason === 'string' ? this.details.reason : '';
  }

  get issues(): Issue[] {
    if (Array.isArray(this.details.issues)) {
      return this.details.issues as Issue[];
    }
    return this.param === null ? [] : [{ param: this.param, message: this.message }];
  }

  /** What is wrong with the member `param` or with one inside it; undefined if nothing is. */
  issueOf(param: string): string | undefined {
    return this.issues.find(
      (issue) =>
        issue.param === param || issue.param.startsWith(`${param}.`) || issue.param.startsWith(`${param}[`),
    )?.message;
  }

  /** True if nothing was answered: no network, no server. */
  get isOffline(): boolean {
    return this.status === 0;
  }
}

/** Reads the error envelope; what is no envelope becomes an error that names the status. */
export function errorOf(status: number, body: unknown, headers: { get(name: string): string | null }): ApiError {
  const error = (body as { error?: Record<string, unknown> } | null)?.error ?? {};
  const seconds = Number(error.retry_after ?? headers.get('Retry-After') ?? Number.NaN);
  return new ApiError(
    status,
    typeof error.code === 'string' ? error.code : `http_${status}`,
    typeof error.message === 'string' ? error.message : `The server answered ${status}.`,
    typeof error.request_id === 'string' ? error.request_id : (headers.get('X-Request-Id') ?? ''),
    typeof error.param === 'string' ? error.param : null,
    Number.isFinite(seconds) ? seconds : null,
    (error.details as Record<string, unknown> | undefined) ?? {},
  );
}
