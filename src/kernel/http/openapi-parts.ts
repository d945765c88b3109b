/** Shared components of an API document: errors, headers, security schemes. */
import { z } from 'zod'
import type { ZodOpenApiComponentsObject } from 'zod-openapi'
import { isRecord } from '../records/view.ts'
import { answersPages, type Route } from './route.ts'

const errorReply = (codes: string[]) =>
  z
    .object({
      status: z.literal('error').describe('Always `error`.'),
      message: z.string().meta({ description: 'What is wrong, for people.', examples: ['name: Is required.'] }),
      data: z.unknown().meta({
        description: 'Mostly null. With `MAINTENANCE` when it ends, with a bulk operation what failed.',
        examples: [null],
      }),
      meta: z.null().describe('Always null.'),
      code: z
        .enum(codes as [string])
        .meta({ description: 'What is wrong, for programs. The introduction says when each happens.' }),
      request_id: z.string().meta({
        description: 'The same as in X-Request-Id: what support asks for, and what the log has of this request.',
        examples: ['req-4f1d'],
      }),
      errors: z
        .record(z.string(), z.array(z.string()))
        .optional()
        .meta({
          description: 'With 422 only: what is wrong with each field, by its dotted name (`lines.0.quantity`).',
          examples: [{ name: ['Is required.'] }],
        }),
    })
    .meta({ id: 'Error', description: 'What is answered whenever something did not go well.' })

const refTo = (kind: 'headers' | 'parameters' | 'responses') => (name: string) => ({ $ref: `#/components/${kind}/${name}` })
const header = refTo('headers')
const text = { type: 'string' } as const
const whole = { type: 'integer' } as const

const LIMIT_HEADERS = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset']

const headers = {
  'X-Request-Id': { description: 'The id of this request: the one that the client sent, else a new one.', schema: text },
  ETag: {
    description: 'The state of the record, for If-Match, and of what is shown of it, for If-None-Match. A replay has none.',
    schema: text,
  },
  'Idempotency-Replayed': {
    description: '`true`: this is the stored reply of an earlier request with the same key.',
    schema: text,
  },
  'RateLimit-Limit': { description: 'How many requests the limit allows.', schema: whole },
  'RateLimit-Remaining': { description: 'How many of them are left.', schema: whole },
  'RateLimit-Reset': { description: 'Seconds until the limit is whole again.', schema: whole },
  'Retry-After': { description: 'Seconds to wait.', schema: whole },
  Location: { description: 'Where to go.', schema: text },
}

const parameters = {
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Sent again with the same key and body within 24 hours, the request is answered with its first reply and does nothing.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
    examples: { default: { value: 'import-7', 'x-disabled': true } },
  },
  'If-Match': {
    name: 'If-Match',
    in: 'header',
    description: 'The ETag of the state that the change was made for; 412 when the record has another by now.',
    schema: text,
    examples: { default: { value: '"1-1"', 'x-disabled': true } },
  },
  'Dry-Run': {
    name: 'Dry-Run',
    in: 'header',
    description:
      '`true`: the request runs to its end with all its checks, says what it would, and changes nothing. Where this isn’t a parameter, it is a 422 (`DRY_RUN_UNSUPPORTED`).',
    schema: { type: 'string', enum: ['true', 'false'] as string[] },
    examples: { default: { value: 'true', 'x-disabled': true } },
  },
} as const

/** By status: name of the component, description, headers sent with it. */
const errors: Record<string, [name: string, description: string, headers?: string[]]> = {
  400: ['BadRequest', 'The request can’t be read, or makes no sense in the record’s state.'],
  401: ['Unauthenticated', 'No session, or one that has ended.'],
  403: ['Forbidden', 'Not permitted; also a suspended user, an unverified address, a module that is not installed.'],
  404: ['NotFound', 'There is no such record in the caller’s sight.'],
  409: ['Conflict', 'The same is being done at this moment. Try again.'],
  410: ['Gone', 'What was asked for is no longer kept.'],
  412: ['PreconditionFailed', 'The record has changed since the state in If-Match.'],
  413: ['PayloadTooLarge', 'The body is too large.'],
  415: ['UnsupportedMediaType', 'A body of a type that is not taken here.'],
  416: ['RangeNotSatisfiable', 'What Range asks for lies beyond the end of the file.'],
  422: ['Invalid', 'What was sent is not valid, or not possible now; `errors` says why by field.'],
  429: ['TooManyRequests', 'The rate limit is used up.', [...LIMIT_HEADERS, 'Retry-After']],
  502: ['BadGateway', 'Whoever had to be asked, a mail server or an ad platform, does not answer as it should.'],
  503: ['Unavailable', 'The service can’t work at the moment. Try again.', ['Retry-After']],
  default: ['UnexpectedError', 'Anything else. A 500 is a defect, and has been logged.'],
}

/** Returns the path up to its first parameter, without the parameter's name: `/leads/:` of `/leads/:id/follow-ups`. */
const ownerPath = (path: string) => /^[^:]*:?/.exec(path)![0]

/** Whether a route returns a record with its ETag. */
export const showsRecord = ({ spec }: Route) => spec.validated === true || isRecord(spec.reply)

/** Returns whether a route accepts If-Match: it changes a record whose ETag some route returns. */
export function ifMatchRule(routes: { route: Route; path: string }[]) {
  const shown = new Set(
    routes.filter(({ route }) => route.method === 'GET' && showsRecord(route)).map(({ path }) => path.replace(/:\w+$/, ':')),
  )
  return ({ spec }: Route, path: string) =>
    spec.mayCreate === true || (spec.record !== undefined && (isRecord(spec.reply) || shown.has(ownerPath(path))))
}

/** Whether a file is generated while it is sent: it supports neither ranges nor 304. */
export const isMade = ({ file, storedFile }: Route['spec']) =>
  !storedFile && [file ?? []].flat().some((type) => type.startsWith('text/csv'))

/** Returns the error responses that a route can have, by status. */
export function errorsOf(route: Route, heedsIfMatch: boolean) {
  const { method, path, auth, spec } = route
  const changes = method !== 'GET'
  const happens: Record<string, boolean> = {
    400: changes || auth.scheme === 'none',
    401: auth.scheme !== 'none',
    403: auth.scheme !== 'none',
    404: /:/.test(path) || spec.record !== undefined,
    409: changes,
    412: heedsIfMatch || spec.record !== undefined, // If-Match is checked even where no route returns an ETag
    // Every body is read, even on routes that declare none.
    413: changes,
    415: changes,
    416: spec.file !== undefined && !isMade(spec),
    422: changes || spec.query !== undefined,
    429: spec.limit !== undefined,
    503: true,
    default: true,
  }
  const kind = answersPages(route) ? 'Page' : ''
  return Object.fromEntries(
    Object.keys(errors)
      .filter((status) => happens[status] || spec.errors?.includes(Number(status) as never))
      .map((status) => [
        status,
        spec.accepts && status === '400' ? PROTOCOL_ERROR : refTo('responses')(kind + errors[status]![0]),
      ]),
  )
}

/** For messages of another protocol, which has its own error format. */
const PROTOCOL_ERROR = {
  description: 'The message can’t be read: the envelope, or an error as the protocol has it.',
  content: { 'application/json': { schema: { type: 'object' as const } } },
}

/** Headers of the success response. */
export const headersOf = ({ spec }: Route, { showsRecord, idempotent }: { showsRecord: boolean; idempotent: boolean }) =>
  Object.fromEntries(
    [
      'X-Request-Id',
      ...(showsRecord ? ['ETag'] : []),
      ...(idempotent ? ['Idempotency-Replayed'] : []),
      ...(spec.limit ? LIMIT_HEADERS : []),
    ].map((name) => [name, header(name)]),
  )

/** References to the header parameters of an operation. */
export const parametersOf = ({ method, multiTransaction }: Route, idempotent: boolean, heedsIfMatch: boolean) =>
  [
    ...(idempotent ? ['Idempotency-Key'] : []),
    ...(heedsIfMatch ? ['If-Match'] : []),
    ...(method !== 'GET' && !multiTransaction ? ['Dry-Run'] : []),
  ].map(refTo('parameters'))

/** Returns the shared headers, parameters and error responses. Errors are JSON, and also HTML if any route answers pages. */
export function sharedComponents(pages: boolean, codes: string[]): ZodOpenApiComponentsObject {
  const schema = errorReply(codes)
  const responses = Object.values(errors).flatMap(([name, description, more = []]) => {
    const told = { description, headers: Object.fromEntries(['X-Request-Id', ...more].map((one) => [one, header(one)])) }
    const json = { ...told, content: { 'application/json': { schema } } }
    const page = { ...told, content: { 'text/html': { schema: text } } }
    return [[name, json] as const, ...(pages ? [[`Page${name}`, page] as const] : [])]
  })
  return { headers, parameters, responses: Object.fromEntries(responses) }
}

/** Returns the name and definition of a route's security scheme; undefined if it needs no authentication. */
export function schemeOf({ auth: { scheme } }: Route) {
  if (scheme === 'none') return undefined
  if (scheme === 'bearer')
    return ['bearer', { type: 'http', scheme: 'bearer', description: 'The token that signing in answers.' }] as const
  const name = scheme.header.replace(/[^\w.-]/g, '-')
  return [name, { type: 'apiKey', in: 'header', name: scheme.header, description: scheme.description }] as const
}
