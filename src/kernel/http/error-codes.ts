/** All error codes of the kernel, each with its status and cause. Modules declare theirs in their manifest (`errorCodes`). */
import type { Module, Surface } from '../modules/module.ts'

const ofKernel: Record<string, string> = {
  BAD_REQUEST: '400: the request can’t be read, or a live record is restored or deleted for good.',
  UNAUTHENTICATED: '401: no session, or one that has ended; `message` and `WWW-Authenticate` say which.',
  INVALID_CREDENTIALS: '401: a wrong address, password, code or passkey.',
  FORBIDDEN: '403: the permission is missing; `message` names it.',
  USER_SUSPENDED: '403: the user is suspended.',
  EMAIL_NOT_VERIFIED: '403: the user’s address is not proven yet.',
  KEY_NOT_ALLOWED: '403: an API key is not taken here, or not from this network, or its scopes don’t reach so far.',
  IMPERSONATING: '403: it would change the account itself, who may come in or where money goes, while somebody works as another.',
  AGENT_NOT_ALLOWED: '403: an agent changes neither who may come in nor where money goes.',
  WORKSPACE_SUSPENDED: '403: the workspace is suspended.',
  WORKSPACE_ARCHIVED: '403: the workspace is archived.',
  MODULE_NOT_INSTALLED: '403: the workspace doesn’t have the module.',
  NOT_FOUND: '404: there is no such record in the caller’s sight.',
  METHOD_NOT_ALLOWED: '405: the path has other methods, which `Allow` names.',
  REQUEST_TIMEOUT: '408: the request took too long to arrive.',
  CONFLICT: '409: the same is being done at this moment. Try again.',
  PRECONDITION_FAILED: '412: the record has changed since the state in `If-Match`.',
  PAYLOAD_TOO_LARGE: '413: the body or a file is too large.',
  UNSUPPORTED_MEDIA_TYPE: '415: a body of a type that is not taken here.',
  RANGE_NOT_SATISFIABLE: '416: `Range` lies beyond the end of the file.',
  DRY_RUN_UNSUPPORTED: '422: `Dry-Run` is sent to an operation that can’t be tried without doing it.',
  VALIDATION_FAILED: '422: a field is wrong, or what is asked isn’t possible in the record’s state; `errors` says why by field.',
  NOT_PRINTABLE: '422: the document asks for more than can be drawn.',
  TOO_MANY_REQUESTS: '429: a rate limit is used up. Wait `Retry-After` seconds.',
  HEADERS_TOO_LARGE: '431: the address or the headers are too long.',
  INTERNAL_ERROR: '500: a defect. It has been logged, and nothing was written.',
  UNAVAILABLE: '503: the service can’t work at the moment. Try again.',
  MAINTENANCE: '503: the workspace API is closed for a while; `data.eta` and `Retry-After` say until when.',
  PRINTER_BUSY: '503: too many documents are waiting to be drawn.',
  PRINTER_UNAVAILABLE: '503: documents can’t be drawn at the moment.',
  PRINTING_TIMED_OUT: '503: drawing the document took too long.',
  EXPORTS_BUSY: '503: one’s own exports, or those of one’s workspace, are under way.',
  READER_BUSY: '503: too many mails or files are waiting to be read.',
  BUSY: '503: too many sign-ins wait for their turn.',
  DATABASE_BUSY: '503: the workspace’s own requests wait for each other.',
  DATABASE_LOCKED: '503: somebody else is changing the same.',
  DATABASE_TIMEOUT: '503: it took longer than a request may take. Ask for less at once.',
  FILE_STORAGE_UNAVAILABLE: '503: the store of files can’t be reached; what needs no file goes on.',
  STORAGE_FULL: '507: the service has no room left; nothing was changed.',
}

/** Returns the error codes of an API with their causes, sorted by status. */
export const errorCodesOf = (surface: Surface, modules: Module[]): [code: string, when: string][] =>
  Object.entries(
    Object.assign(
      { ...ofKernel },
      ...modules.filter((one) => one.surface === surface || one.surface === 'public').map(({ errorCodes }) => errorCodes),
    ) as typeof ofKernel,
  ).sort(([, a], [, b]) => a.slice(0, 3).localeCompare(b.slice(0, 3)))
