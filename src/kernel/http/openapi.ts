/** OpenAPI 3.1 of one API, from the very schemas that validate and serialise. */
import { z } from 'zod'
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from 'zod-openapi'
import { basePaths, type Module, type Modules } from '../modules/load.ts'
import type { UploadRules } from './multipart.ts'
import { envelopeOf } from './reply.ts'
import { type Route, textParams } from './route.ts'

const ErrorReply = z
  .object({
    status: z.literal('error'),
    message: z.string(),
    data: z.null(),
    meta: z.null(),
    code: z.string(),
    request_id: z.string(),
    errors: z.record(z.string(), z.array(z.string())).optional().meta({ description: 'By field; with 422 only.' }),
  })
  .meta({ id: 'Error' })

const titles = { workspace: 'Atrium workspace API', platform: 'Atrium platform API' }

export async function openApi(modules: Modules, surface: 'workspace' | 'platform', baseUrl: string) {
  const base = basePaths[surface]
  const paths: ZodOpenApiPathsObject = {}
  const tags = new Map<string, Module>()
  for (const { module, route, path } of await modules.routes()) {
    if (!path.startsWith(`${base}/`)) continue
    tags.set(module.title, module)
    const name = path.slice(base.length).replace(/:(\w+)/g, '{$1}')
    ;(paths[name] ??= {})[route.method.toLowerCase() as 'get'] = operation(module, route, name)
  }
  return createDocument({
    openapi: '3.1.0',
    info: { title: titles[surface], version: '1', description: 'Every reply has the envelope {status, message, data, meta}.' },
    servers: [{ url: `${baseUrl}${base}` }],
    tags: [...tags.values()].map(({ title, description }) => ({ name: title, description })),
    components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
    paths,
  })
}

function operation(module: Module, route: Route, name: string): ZodOpenApiOperationObject {
  const { spec } = route
  const params = [...name.matchAll(/\{(\w+)\}/g)].map(([, param]) => param!)
  const success = spec.file
    ? { description: 'The file', content: binaryOf([spec.file].flat()) }
    : { description: spec.message ?? 'OK', content: { 'application/json': { schema: envelopeOf(spec) } } }
  const error = { description: 'What is wrong', content: { 'application/json': { schema: ErrorReply } } }
  return {
    tags: [module.title],
    operationId: `${module.surface}.${module.key}.${route.method.toLowerCase()}${name.replace(/[/{}]+/g, '.').replace(/\.$/, '')}`,
    description: route.entrance.scheme === 'none' ? 'Needs no session.' : `Needs: ${[spec.allow].flat().join(' or ')}.`,
    security: route.entrance.scheme === 'none' ? [] : [{ bearer: [] }],
    requestParams: {
      ...(params.length ? { path: z.object(Object.fromEntries(params.map((p) => [p, isText(p) ? z.string() : z.int()]))) } : {}),
      ...(spec.query ? { query: queryObject(spec.query) } : {}),
    },
    ...(spec.body
      ? {
          requestBody: {
            required: true,
            content: {
              'application/json': { schema: spec.body },
              ...(spec.upload ? { 'multipart/form-data': { schema: withFiles(spec.body, spec.upload) } } : {}),
            },
          },
        }
      : {}),
    responses: { [spec.status ?? 200]: success, '4XX': error },
  }
}

const binary = { type: 'string' as const, format: 'binary' }
const binaryOf = (types: string[]) => Object.fromEntries(types.map((type) => [type, { schema: binary }]))

/** The body as a form sends it: its texts and the files beside them. */
const withFiles = (body: any, rules: UploadRules) =>
  body.extend(Object.fromEntries(Object.keys(rules).map((field) => [field, z.any().meta({ override: binary }).optional()])))

const isText = (param: string) => (textParams as readonly string[]).includes(param)

/** Listings wrap their query object to drop blank values; documents want the object itself. */
function queryObject(schema: any): any {
  return schema.def?.type === 'pipe' ? queryObject(schema.def.out) : schema
}
