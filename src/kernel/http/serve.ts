/**
 * Serves a route. The checks run in the contract's order: token, verified, entitled, permission, record in scope (404),
 * body (422), state (422). Everything from the record on happens in one transaction that commits here, at the edge.
 */
import type { FastifyReply } from 'fastify'
import { readBearer } from '../auth/tokens.ts'
import {
  type Actor,
  type BaseCtx,
  inPublic,
  inWorkspace,
  missing,
  type Origin,
  onPlatform,
  type Services,
  type Tenant,
} from '../context.ts'
import { forbidden, unauthenticated } from '../errors.ts'
import type { Module } from '../modules/load.ts'
import type { Page } from '../records/listing.ts'
import { checkIfMatch, etagOf } from '../records/resource.ts'
import type { Upload } from '../storage/uploads.ts'
import { sendFile } from './download.ts'
import { type IdempotentRequest, idempotencyOf, once } from './idempotency.ts'
import { parse, pathParams } from './input.ts'
import type { Limits } from './limits.ts'
import { discardingUploads, receive } from './multipart.ts'
import { type Envelope, serializerOf } from './reply.ts'
import type { FileReply, Route } from './route.ts'

/** Who asks, and how their work gets a transaction and a ctx. */
interface Caller {
  key: string
  tenantId?: number
  run<T>(mode: 'read' | 'write', work: (ctx: BaseCtx) => Promise<T>): Promise<T>
}

export function handlerOf(services: Services, limits: Limits, module: Module, route: Route) {
  const { spec } = route
  const serialize = serializerOf(route)
  const mode = route.method === 'GET' && !spec.writes ? 'read' : 'write'

  return discardingUploads(services, async (request, reply, uploads) => {
    const origin: Origin = {
      services,
      log: request.log as Origin['log'],
      now: services.clock.now(),
      request: {
        id: request.id,
        ip: request.ip,
        userAgent: String(request.headers['user-agent'] ?? ''),
        url: request.url,
        host: request.host,
      },
    }
    const caller = await callers[route.guard](origin, request.headers.authorization, route, module)
    const { body, files, wrongFiles } = await receive(services, request, spec.upload, caller.tenantId ?? 0, uploads)
    if (spec.limit) {
      const { name, by } = spec.limit
      const field = typeof by === 'object' ? (body as Record<string, unknown> | undefined)?.[by.field] : undefined
      const key = by === 'user' ? caller.key : typeof field === 'string' ? field.trim().toLowerCase().slice(0, 254) : request.ip
      // A wide net behind limits by account: one address may not try endless accounts.
      if (typeof by === 'object') await limits.consume({ name: `${name}-net`, points: 300, seconds: 60, by: 'ip' }, request.ip)
      reply.headers(await limits.consume(spec.limit, key))
    }
    const params = pathParams(request.params)
    const query = spec.query ? parse(spec.query, request.query) : undefined
    const idempotent =
      route.method === 'POST'
        ? idempotencyOf(request.headers['idempotency-key'], {
            tenantId: caller.tenantId,
            actor: caller.key,
            method: route.method,
            path: request.url,
            body: [body, fingerprints(files)],
          })
        : undefined

    /** The work of the request, inside its transaction. */
    const answer = async (ctx: BaseCtx) => {
      const record = spec.record ? await spec.record(ctx as any, Object.values(params)[0] as number) : undefined
      if (record) checkIfMatch(request.headers['if-match'], record)
      const input = spec.body ? parse(spec.body, body, wrongFiles) : undefined
      return route.handler(ctx as any, { ...params, query, body: input, record, files })
    }

    if (spec.file) return sendFile(services, request, reply, (await caller.run(mode, answer)) as FileReply)

    const envelope = (result: unknown): Envelope => ({
      status: 'success',
      message: spec.message ?? 'OK',
      data: spec.page ? (result as Page<unknown>).rows : (result ?? null),
      meta: spec.page
        ? metaOf(
            services.config.BASE_URL,
            request.url,
            query as { page: number; per_page: number },
            (result as Page<unknown>).total,
          )
        : null,
    })
    const status = spec.status ?? 200
    if (idempotent) {
      const stored = await caller.run(mode, (ctx) =>
        replayable(ctx, idempotent, status, async () => serialize(envelope(await answer(ctx)))),
      )
      if (stored.replayed) reply.header('idempotency-replayed', 'true')
      return send(reply, stored.status, stored.payload)
    }
    const result = await caller.run(mode, answer)
    const { id, revision } = (result ?? {}) as { id?: number; revision?: number }
    if (id !== undefined && revision !== undefined) reply.header('etag', etagOf({ id, revision }))
    return send(reply, status, serialize(envelope(result)))
  })
}

const replayable = (ctx: BaseCtx, request: IdempotentRequest, status: number, work: () => Promise<string>) =>
  once(ctx, request, async () => ({ status, payload: await work() }))

function send(reply: FastifyReply, status: number, payload: string) {
  return reply.code(status).header('content-type', 'application/json; charset=utf-8').send(payload)
}

const fingerprints = (files: Record<string, Upload>) =>
  Object.entries(files).map(([field, { name, sha256 }]) => [field, name, sha256])

function metaOf(base: string, url: string, { page, per_page }: { page: number; per_page: number }, total: number) {
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
    next_page_url: page < last ? at(page + 1) : null,
    prev_page_url: page > 1 ? at(Math.min(page - 1, last)) : null,
  }
}

interface SessionFacts {
  token: { id: number; name: string; hash: string; expires_at: string; last_used_at: string }
  user: { id: number; name: string; email: string; is_owner?: boolean; verified: boolean; suspended: boolean }
  roles: string[]
  permissions: string[]
}
type WorkspaceFacts = SessionFacts & { tenant: Tenant & { status: string; archived: boolean }; modules: string[] }

const callers: Record<
  Route['guard'],
  (origin: Origin, bearer: string | undefined, route: Route, module: Module) => Promise<Caller> | Caller
> = {
  async workspace(origin, bearer, route, module) {
    const session = await readBearer<WorkspaceFacts>(origin.services.database, 'app.workspace_session', bearer, origin.now)
    if (!session) throw unauthenticated()
    const { tenant, user } = session
    refuseClosed(tenant)
    refuseUser(user, route)
    const modules = new Set(session.modules)
    if (!module.core && !modules.has(module.key))
      throw forbidden(`The module ${module.title} is not installed in this workspace.`, 'MODULE_NOT_INSTALLED')
    for (const key of module.core ? [] : (module.requires ?? []))
      if (!modules.has(key))
        throw forbidden(`The module ${module.title} needs the module ${key}, which is not installed.`, 'MODULE_NOT_INSTALLED')
    const actor = actorOf(session)
    const permissions = new Set(session.permissions)
    refusePermission(route, (permission) => actor.isOwner || permissions.has(permission))
    return {
      key: `workspace:${tenant.id}:${user.id}`,
      tenantId: tenant.id,
      run: (mode, work) => inWorkspace(origin, { tenant, actor, permissions, modules }, mode, work),
    }
  },
  async platform(origin, bearer, route) {
    const session = await readBearer<SessionFacts>(origin.services.database, 'app.platform_session', bearer, origin.now)
    if (!session) throw unauthenticated()
    refuseUser(session.user, route)
    const actor = actorOf(session)
    const permissions = new Set(session.permissions)
    refusePermission(route, (permission) => actor.roles.includes('superadmin') || permissions.has(permission))
    return {
      key: `platform:${session.user.id}`,
      run: (mode, work) => onPlatform(origin, { actor, permissions }, mode, work),
    }
  },
  public: (origin) => ({ key: `ip:${origin.request.ip}`, run: (mode, work) => inPublic(origin, mode, work) }),
}

/** A suspended or archived workspace is closed to its users. */
export function refuseClosed(tenant: { status: string; archived: boolean }) {
  if (tenant.archived) throw forbidden('This workspace is archived.', 'WORKSPACE_ARCHIVED')
  if (tenant.status === 'suspended') throw forbidden('This workspace is suspended.', 'WORKSPACE_SUSPENDED')
}

function refuseUser(user: SessionFacts['user'], route: Route) {
  if (user.suspended) throw forbidden('This account is suspended.', 'USER_SUSPENDED')
  if (!user.verified && !route.spec.unverified) throw forbidden('Verify your e-mail address first.', 'EMAIL_NOT_VERIFIED')
}

function refusePermission(route: Route, can: (permission: string) => boolean) {
  const { allow } = route.spec
  if (allow === 'signed-in') return
  const any: readonly string[] = Array.isArray(allow) ? allow : [allow as string]
  if (!any.some(can)) throw missing(any.join(' or '))
}

const actorOf = ({ user, roles, token }: SessionFacts): Actor => ({
  id: user.id,
  name: user.name,
  email: user.email,
  isOwner: user.is_owner ?? false,
  roles,
  token: { id: token.id, name: token.name },
})
