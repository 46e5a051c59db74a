// An error that the user can act on. Any other exception is a bug and is shown with its stack.

export class AppError extends Error {
  readonly code: string;
  readonly hint: string | undefined;

  constructor(code: string, message: string, options: { hint?: string | undefined; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = "AppError";
    this.code = code;
    this.hint = options.hint;
  }
}

export function nothingFound(message: string, hint?: string): AppError {
  return new AppError("nothing_found", message, { hint });
}

export function usageError(message: string, hint?: string): AppError {
  return new AppError("usage", message, { hint });
}
