/** Checks that a reply conforms to the API documents and discloses no internals. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { PASSWORD, type Reply } from '../harness.ts'
import type { Operation } from './operations.ts'
import type { ContractWorld } from './world.ts'

/** Our own formats (docs/api-conventions.md) only describe display; bounds and patterns restrict values. */
const OWN_FORMATS = ['website', 'money', 'quantity', 'percentage', 'decimal', 'currency', 'timezone', 'phone', 'html', 'binary']

/** Statuses under `default`, which docs/api-conventions.md defines for every operation. */
const GENERAL = [400, 431]

/** Returns what is wrong with a reply to an operation; empty if nothing is. */
export type Complaints = (operation: Operation, reply: Reply) => string[]

/** Returns a validator that knows the formats of the API documents. */
export function documentsAjv() {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false, multipleOfPrecision: 9, logger: false })
  formats.default(ajv)
  for (const format of OWN_FORMATS) ajv.addFormat(format, true)
  return ajv
}

export async function documented(world: ContractWorld): Promise<Complaints> {
  const ajv = documentsAjv()
  /** Location of each operation's response in its document, by status. */
  const places = new Map<string, string>()
  for (const api of ['workspace', 'platform'] as const) {
    const document = (await world.root.get(`/api/${api === 'workspace' ? 'tenant' : 'central'}/v1/openapi.json`)).body as any
    ajv.addSchema(document, api)
    for (const [path, item] of Object.entries<any>(document.paths))
      for (const [method, { operationId, responses = {} }] of Object.entries<any>(item))
        for (const [status, { $ref }] of Object.entries<any>(responses))
          places.set(`${api} ${operationId} ${status}`, $ref ?? `#/paths/${escaped(path)}/${method}/responses/${status}`)
  }
  const validators = new Map<string, ValidateFunction>()
  const validator = ($ref: string) => {
    if (!validators.has($ref)) validators.set($ref, ajv.compile({ $ref }))
    return validators.get($ref)!
  }
  const secrets = [PASSWORD, world.services.config.APP_KEY.toString('base64'), world.services.config.DATA_DIR, process.cwd()]

  return ({ api, id, responses }, reply) => {
    const all = carried(reply, secrets)
    const { status, headers, body } = reply
    const named = String(status) in responses ? String(status) : GENERAL.includes(status) ? 'default' : undefined
    if (!named) return [...all, `${status} is not documented`]
    const types = Object.keys(responses[named]!).map(bareType)
    const type = bareType(String(headers['content-type'] ?? ''))
    if (types.length ? !types.includes(type) : reply.raw.length) return [...all, `${status} as "${type}", not ${types.join()}`]
    if (type !== 'application/json') return all
    const validate = validator(`${api}${places.get(`${api} ${id} ${named}`)}/content/${escaped(type)}/schema`)
    if (!validate(body))
      for (const { instancePath, message, params } of validate.errors!)
        all.push(`${status}${instancePath} ${message} ${JSON.stringify(params)}`)
    return all
  }
}

const bareType = (type: string) => type.split(';')[0]!
const escaped = (name: string) => encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))

/** Stack traces, SQL and file paths, as leaked by internal errors. */
const INSIDES = [
  /\n\s+at .+:\d+/,
  /node_modules|file:\/\/\/(?!etc)|\.ts:\d+/,
  /syntax error at or near|invalid input syntax|violates \w+[ -]|relation "|duplicate key|out of range for type/,
  /\bE(NOENT|ACCES|ISDIR|NAMETOOLONG|PERM)\b/,
]

/** Checks that apply to every reply. */
function carried({ status, headers, raw }: Reply, secrets: string[]): string[] {
  const all: string[] = []
  if (status >= 500 && !(status === 503 && headers['retry-after'])) all.push(`a ${status}`)
  if (!headers['x-request-id']) all.push('no X-Request-Id')
  if (/^(application\/(json|zip|pdf)|image)/.test(String(headers['content-type'])) && status < 400) return all
  const text = raw.toString()
  for (const inside of INSIDES) if (inside.test(text)) all.push(`tells ${inside.exec(text)![0]}`)
  for (const secret of secrets) if (text.includes(secret)) all.push(`tells ${secret}`)
  return all
}
