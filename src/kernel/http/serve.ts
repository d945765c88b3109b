/**
 * Serves a route. The checks run in the contract's order: maintenance; credentials, verified, entitled, permission (the auth
 * strategy); limit; record in scope (404), body (422), state (422). Everything from the record on runs in one transaction, which
 * commits here; a multi-transaction route runs its own.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type BaseCtx, type Ctx, type Origin, type Services, type Steps, stepsOf } from '../context.ts'
import type { Module } from '../modules/module.ts'
import { networkAround } from '../networks.ts'
import { blankIsAbsent, type Page } from '../records/listing.ts'
import { PageText, type Total } from '../records/page-text.ts'
import { etagOf, JsonText } from '../records/view.ts'
import type { Upload } from '../storage/uploads.ts'
import type { Answer, FileReply } from './answer.ts'
import { type Principal, workspaceUser } from './auth-strategies.ts'
import { sendFile } from './download.ts'
import { dryRunUnsupported, isDryRun, rolledBack, withoutEarlyCommit } from './dry-run.ts'
import { logError } from './error-reply.ts'
import { sanitizedAhead } from './formatted-texts.ts'
import { assertMayGrant, isStandIn, isWriting } from './grants.ts'
import { isHead } from './head.ts'
import { sendAnswerHead, sendJsonHead, withoutWrites } from './head-reply.ts'
import { idempotencyOf, once, onceInSteps, type Reply } from './idempotency.ts'
import { clientOf, isAgentCall } from './in-process.ts'
import { parse, pathParams } from './input.ts'
import type { Limits } from './limits.ts'
import { longRepliesOf } from './long-replies.ts'
import type { Maintenance } from './maintenance.ts'
import { discardingUploads, type Received, receive } from './multipart.ts'
import { envelopeWriter, secretsRemover } from './reply.ts'
import { note } from './request-log.ts'
import type { Route } from './route.ts'
import { isStrict, refuseUnknown } from './strict-query.ts'
import { checkIfMatch, etagOfReply, namesEtag } from './validators.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Bytes of the body, on routes that need them. */
    bytes?: Buffer
  }
}

/** Returns the request handler of a route. */
export function handlerOf(
  services: Services,
  { limits, maintenance }: { limits: Limits; maintenance: Maintenance },
  module: Module,
  route: Route,
) {
  const { spec } = route
  const envelope = envelopeWriter(route)
  const withoutSecrets = secretsRemover(spec)
  const mode = isWriting(route) ? 'write' : 'read'
  const replies = longRepliesOf(services)
  const takesTurns = route.method === 'GET' && !spec.file && !spec.answer
  const userOf = (caller: Principal) => caller.holder ?? caller.key

  return discardingUploads(services, async (request, reply, uploads) => {
    await maintenance.refuse(request.routeOptions.url!)
    const origin = originOf(services, request)
    note(request, { used: origin.used })
    const params = request.params as Record<string, string>
    const caller = await route.auth.authenticate({
      origin,
      headers: request.headers,
      params,
      query: request.query as Record<string, unknown>,
      raw: request.bytes ?? Buffer.alloc(0),
      access: spec,
      module,
    })
    note(request, { workspace: caller.tenantId, user: caller.userId })
    try {
      return await serve(request, reply, origin, caller, uploads)
    } catch (error) {
      await caller.confirm?.().catch((refusal) => {
        logError(error, request.log) // the client gets only the refusal
        throw refusal
      })
      throw error
    }
  })

  async function serve(request: FastifyRequest, reply: FastifyReply, origin: Origin, caller: Principal, uploads: Upload[]) {
    const byField = typeof spec.limit?.by === 'object'
    if (!byField) await countUse(request, reply, caller) // before the body is read, whatever its size
    const received = await receive(services, request, spec.upload, caller.tenantId ?? 0, uploads)
    if (byField) await countUse(request, reply, caller, received.body)
    const work = () =>
      sanitizedAhead(services, caller.tenantId ?? 0, [spec.body, spec.bodyOfEach], received.body, () =>
        answer(request, reply, origin, isHead(request) ? withoutWrites(caller) : caller, received),
      )
    return takesTurns && caller.userId !== undefined ? replies.inTurn(userOf(caller), work) : work()
  }

  async function answer(request: FastifyRequest, reply: FastifyReply, origin: Origin, caller: Principal, received: Received) {
    const { body, files, wrongFiles } = received
    const params = pathParams(request.params)
    if (!spec.answer && isStrict(request.headers.prefer)) {
      reply.header('preference-applied', 'handling=strict')
      refuseUnknown(spec.query, request.query)
    }
    const query = spec.query ? parse(spec.query, spec.answer ? request.query : blankIsAbsent(request.query)) : undefined
    const input = (record: unknown) => ({
      ...params,
      query,
      body: spec.body ? parse(spec.body, body, wrongFiles, { anyText: spec.accepts }) : undefined,
      record,
      files,
      raw: request.bytes,
      headers: request.headers,
      guest: caller.guest,
    })
    const idempotent =
      route.method === 'POST' && !spec.notIdempotent
        ? idempotencyOf(services.secrets, request.headers['idempotency-key'], {
            tenantId: caller.tenantId,
            actor: caller.key,
            method: route.method,
            path: request.url,
            body: [body, fingerprints(files)],
          })
        : undefined
    const written = (result: unknown) => replyOf(result, request, query)
    const isDry = mode === 'write' && isDryRun(request.headers['dry-run'])
    if (isDry && route.multiTransaction) throw dryRunUnsupported()

    const found = async (ctx: BaseCtx) => {
      const record = await spec.record!(ctx as any, Object.values(params)[0], params)
      checkIfMatch(request.headers['if-match'], record)
      return record
    }

    /** The caller acts for another user, who may not have granted this (see grants.ts). */
    const isJudged = mode === 'write' && route.auth === workspaceUser && isStandIn(origin, caller.abilities as Ctx)
    const judge = (ctx: BaseCtx, sent?: unknown) => assertMayGrant(ctx as Ctx, route, sent)

    /** Work of the request, inside its transaction. */
    const work = async (ctx: BaseCtx) => {
      if (isJudged) await judge(ctx)
      const given = input(spec.record && (await found(ctx)))
      if (isJudged) await judge(ctx, given.body)
      return route.handler(ctx, given)
    }

    if (isDry) {
      const { status, payload } = await rolledBack(caller, async (ctx) => written(await work(ctx)))
      return reply.code(status).header('content-type', JSON_TYPE).header('dry-run', 'true').send(payload)
    }
    if (!route.multiTransaction) {
      if (!idempotent) return send(request, reply, await caller.run(mode, work), written, caller)
      const stored = await caller.run('write', (ctx) =>
        once(ctx, idempotent, async () => written(await work({ ...ctx, ...withoutEarlyCommit }))),
      )
      return sendStored(reply, stored)
    }
    /** Runs the handler in its own transactions. If the caller acts for another user, each transaction checks their grants. */
    const multiTransaction = async (stepsBy: (by: Principal) => Steps<BaseCtx>) => {
      if (!isJudged) return route.handler(stepsBy(caller), input(spec.record && (await caller.run('read', found))))
      const record = await caller.run('read', async (ctx) => {
        await judge(ctx)
        return spec.record && found(ctx)
      })
      const given = input(record)
      const run: Principal['run'] = (mode, work) =>
        caller.run(mode, async (ctx) => {
          await judge(ctx, given.body)
          return work(ctx)
        })
      await run('read', async () => {}) // check before any work outside a transaction
      return route.handler(stepsBy({ ...caller, run }), given)
    }
    const stepsBy = ({ run, abilities }: Principal) => stepsOf(origin, run, abilities)
    if (!idempotent) return send(request, reply, await multiTransaction(stepsBy), written, caller)
    const stored = await onceInSteps(
      (work) => caller.run('write', work),
      idempotent,
      async (keep) => written(await multiTransaction((by) => keeping(stepsBy(by), by, keep, written))),
    )
    return sendStored(reply, stored)
  }

  function replyOf(result: unknown, request: FastifyRequest, query: unknown): Reply {
    const status = result instanceof JsonText && result.isNew ? 201 : (spec.status ?? 200)
    const message = spec.message ?? 'OK'
    if (spec.page) {
      const meta = metaOf(
        services.config.BASE_URL,
        request.url,
        query as { page: number; per_page: number },
        result as Page<unknown> | PageText,
      )
      return { status, payload: envelope(message, result instanceof PageText ? result : (result as Page<unknown>).rows, meta) }
    }
    if (spec.meta) {
      const { data, meta } = result as { data: unknown; meta: unknown }
      return { status, payload: envelope(message, data, meta) }
    }
    const kept = withoutSecrets(result)
    if (kept && isAgentCall()) result = kept // a language model reads the reply
    const given = etagFrom(result)
    const etag =
      given === undefined || spec.validated
        ? given
        : etagOfReply(given, result instanceof JsonText ? result.text : envelope('', result))
    return { status, payload: envelope(message, result), etag, ...(kept ? { kept: envelope(message, kept) } : {}) }
  }

  async function send(
    request: FastifyRequest,
    reply: FastifyReply,
    result: unknown,
    written: (result: unknown) => Reply,
    caller: Principal,
  ) {
    if (spec.answer) return (isHead(request) ? sendAnswerHead : sendAnswer)(reply, result as Answer)
    if (spec.file) return sendFile(services, request, reply, result as FileReply)
    const { status, payload, etag } = written(result)
    if (takesTurns) replies.note(userOf(caller), payload.length)
    if (etag) reply.header('etag', etag)
    if (etag && route.method === 'GET' && namesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send()
    reply.code(status).header('content-type', JSON_TYPE)
    return isHead(request) ? sendJsonHead(request, reply, payload) : reply.send(payload)
  }

  async function countUse(request: FastifyRequest, reply: FastifyReply, caller: Principal, body?: unknown) {
    if (!spec.limit) return
    const { name, by } = spec.limit
    const field = typeof by === 'object' ? (body as Record<string, unknown> | undefined)?.[by.field] : undefined
    // An IPv6 customer has a whole network of addresses, and could use each for more attempts.
    const from = networkAround(request.ip, { four: 32, six: 64 }) ?? request.ip
    const key = by === 'user' ? caller.key : typeof field === 'string' ? field.trim().toLowerCase().slice(0, 254) : from
    // The two APIs count separately: attempts at one don't block the other.
    const apart = (key: string) => `${module.surface} ${key}`
    // Additional wide limit by address, where the limit is by account: one address can't try any number of accounts.
    if (typeof by === 'object') await limits.consume({ name: `${name}-net`, points: 300, seconds: 60, by: 'ip' }, apart(from))
    const standing = await limits.consume(spec.limit, apart(key))
    // All API keys of a user share the user's limit: there may be hundreds of them.
    const shared = by === 'user' && caller.holder ? await limits.consume(spec.limit, apart(caller.holder)) : standing
    const remaining = (headers: Record<string, string>) => Number(headers['ratelimit-remaining'])
    reply.headers(remaining(shared) < remaining(standing) ? shared : standing)
  }
}

const originOf = (services: Services, request: FastifyRequest): Origin => ({
  services,
  log: request.log as Origin['log'],
  now: services.clock.now(),
  request: {
    id: request.id,
    method: request.method,
    ip: request.ip,
    userAgent: String(request.headers['user-agent'] ?? ''),
    url: request.url,
    host: request.host,
    client: clientOf() ?? null,
    ...(isAgentCall() ? { isAgent: true } : {}),
  },
  used: { statements: 0, ms: 0, limit: services.config.DATABASE_TRANSACTION_TIMEOUT },
})

/** Returns steps whose last one stores the reply in its own transaction. */
const keeping = (
  steps: Steps<BaseCtx>,
  caller: Principal,
  keep: (ctx: BaseCtx, reply: Reply) => Promise<void>,
  written: (result: unknown) => Reply,
): Steps<BaseCtx> => ({
  ...steps,
  finish: (work) =>
    caller.run('write', async (ctx) => {
      const result = await work(ctx)
      await keep(ctx, written(result))
      return result
    }),
})

const JSON_TYPE = 'application/json; charset=utf-8'

function sendStored(reply: FastifyReply, { status, payload, etag, replayed }: Reply & { replayed: boolean }) {
  if (etag) reply.header('etag', etag)
  if (replayed) reply.header('idempotency-replayed', 'true')
  return reply.code(status).header('content-type', JSON_TYPE).send(payload)
}

function etagFrom(result: unknown): string | undefined {
  if (result instanceof JsonText) return result.etag
  const { id, revision } = (result ?? {}) as { id?: number; revision?: number }
  return id !== undefined && revision !== undefined ? etagOf({ id, revision }) : undefined
}

const fingerprints = (files: Record<string, Upload>) =>
  Object.entries(files).map(([field, { name, sha256 }]) => [field, name, sha256])

const sendAnswer = (reply: FastifyReply, { status, headers, body }: Answer) =>
  reply
    .code(status)
    .headers(headers)
    .send(body ?? '')

function metaOf(
  base: string,
  url: string,
  { page, per_page }: { page: number; per_page: number },
  { total, isFloor, incomplete }: Total,
) {
  const last = Math.max(1, Math.ceil(total / per_page))
  const at = (number: number) => {
    const link = new URL(url, base)
    link.searchParams.set('page', String(number))
    return link.href
  }
  return {
    current_page: page,
    last_page: last,
    per_page,
    total,
    ...(isFloor ? { total_is_floor: true } : {}),
    ...(incomplete?.length ? { incomplete } : {}),
    next_page_url: page < last ? at(page + 1) : null,
    prev_page_url: page > 1 ? at(Math.min(page - 1, last)) : null,
  }
}
