/**
 * Local stand-in of Stripe: customers, PaymentIntents, Checkout sessions, prices and the balance, with Stripe's idempotency keys
 * and errors. Webhook events are collected in `events`.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { sha256 } from '#kernel/secrets/secrets.ts'

export const SECRET_KEY = 'sk_test_stand_in_0001'
export const WEBHOOK_SECRET = 'whsec_stand_in_0001'
export const CREDENTIALS = { publishable_key: 'pk_test_stand_in_0001', secret_key: SECRET_KEY, webhook_secret: WEBHOOK_SECRET }

type Fields = Record<string, any>
type Answer = { status: number; body: object }

export async function startStripe(now: () => string) {
  const stripe = {
    url: '',
    /** Charges by PaymentIntent. */
    intents: new Map<string, Fields>(),
    sessions: new Map<string, Fields>(),
    customers: new Map<string, Fields>(),
    /** Existing prices by id: their product. */
    prices: new Map([['price_known', 'prod_known']]),
    /** Payment methods that are declined, and those that take days. */
    declined: new Set<string>(),
    slow: new Set<string>(),
    /** Webhook events in order. */
    events: [] as Fields[],
    /** Requests, as `POST /v1/payment_intents`. */
    asked: [] as string[],
    /** Number of replies to lose: the request is executed, and the connection closed. */
    loseAnswers: 0,
    /** Status of every reply instead. */
    broken: 0,
    /** Number of requests to wait for before any reply. */
    together: 0,
    /** Completes a processing payment. */
    finish(id: string, status: 'succeeded' | 'requires_payment_method') {
      const intent = stripe.intents.get(id)!
      intent.status = status
      if (status === 'succeeded') intent.amount_received = intent.amount
      tell(status === 'succeeded' ? 'payment_intent.succeeded' : 'payment_intent.payment_failed', intent)
    },
    /** Pays a session on its page. */
    payOnPage(id: string, payment_method: string) {
      const session = stripe.sessions.get(id)!
      const { customer, payment_intent_data: data, line_items: items } = session
      const intent = makeIntent({ customer, payment_method, metadata: data.metadata, ...amountOf(items[0].price_data) })
      Object.assign(session, { status: 'complete', payment_status: 'paid', payment_intent: intent.id })
      tell('checkout.session.completed', session)
      return intent
    },
    /** Refunds a payment; the amount is the total so far. */
    refund(id: string, amount_refunded: number) {
      const { metadata, currency } = stripe.intents.get(id)!
      tell('charge.refunded', { id: idFor('ch'), object: 'charge', payment_intent: id, metadata, currency, amount_refunded })
    },
    close: () => void server.close(),
  }
  const answers = new Map<string, { asked: string; answer: Answer }>()
  let made = 0
  const seconds = () => Math.floor(Date.parse(now()) / 1000)
  const idFor = (kind: string) => `${kind}_${String(++made).padStart(6, '0')}`
  const amountOf = ({ unit_amount, currency }: Fields) => ({ amount: Number(unit_amount), currency })

  function tell(type: string, object: Fields) {
    const data = { object: structuredClone(object) }
    stripe.events.push({ id: idFor('evt'), object: 'event', type, created: seconds(), livemode: false, data })
  }

  function makeIntent(fields: Fields): Fields {
    const status = stripe.declined.has(fields.payment_method)
      ? 'requires_payment_method'
      : stripe.slow.has(fields.payment_method)
        ? 'processing'
        : 'succeeded'
    const error = {
      type: 'card_error',
      code: 'card_declined',
      decline_code: 'insufficient_funds',
      message: 'Your card was declined.',
    }
    const intent: Fields = {
      id: idFor('pi'),
      object: 'payment_intent',
      created: seconds(),
      livemode: false,
      ...fields,
      status,
      amount_received: status === 'succeeded' ? fields.amount : 0,
      last_payment_error: status === 'requires_payment_method' ? error : null,
    }
    stripe.intents.set(intent.id, intent)
    const types: Record<string, string> = {
      succeeded: 'succeeded',
      processing: 'processing',
      requires_payment_method: 'payment_failed',
    }
    tell(`payment_intent.${types[status]}`, intent)
    return intent
  }

  const refused = (status: number, error: Fields): Answer => ({ status, body: { error } })
  const found = (body: object): Answer => ({ status: 200, body })

  const routes: [string, RegExp, (fields: Fields, id: string) => Answer][] = [
    ['GET', /^\/v1\/balance$/, () => found({ object: 'balance', livemode: false })],
    [
      'GET',
      /^\/v1\/prices\/(\w+)$/,
      (_, id) => {
        const product = stripe.prices.get(id)
        const message = `No such price: '${id}'`
        return product ? found({ id, object: 'price', product }) : refused(404, { type: 'invalid_request_error', message })
      },
    ],
    [
      'POST',
      /^\/v1\/customers$/,
      (fields) => {
        const customer = { id: idFor('cus'), object: 'customer', ...fields }
        stripe.customers.set(customer.id, customer)
        return found(customer)
      },
    ],
    [
      'POST',
      /^\/v1\/payment_intents$/,
      (fields) => {
        if (!stripe.customers.has(fields.customer))
          return refused(400, {
            type: 'invalid_request_error',
            code: 'resource_missing',
            message: `No such customer: '${fields.customer}'`,
          })
        const intent = makeIntent({ ...fields, amount: Number(fields.amount) })
        if (intent.status !== 'requires_payment_method') return found(intent)
        return refused(402, { ...intent.last_payment_error, payment_intent: intent })
      },
    ],
    [
      'GET',
      /^\/v1\/payment_intents$/,
      ({ customer, created }) => {
        const data = [...stripe.intents.values()].filter(
          (one) => one.customer === customer && one.created >= Number(created?.gte ?? 0),
        )
        return found({ object: 'list', data, has_more: false })
      },
    ],
    [
      'GET',
      /^\/v1\/checkout\/sessions\/(\w+)$/,
      (_, id) => {
        const session = stripe.sessions.get(id)
        if (!session) return refused(404, { type: 'invalid_request_error', message: `No such checkout.session: '${id}'` })
        return found({ ...session, payment_intent: stripe.intents.get(session.payment_intent) ?? null })
      },
    ],
    [
      'POST',
      /^\/v1\/checkout\/sessions$/,
      (fields) => {
        const id = idFor('cs')
        const session = {
          id,
          object: 'checkout.session',
          status: 'open',
          payment_status: 'unpaid',
          url: `${stripe.url}/pay/${id}`,
          ...fields,
        }
        stripe.sessions.set(id, session)
        return found(session)
      },
    ],
  ]

  function answerTo(request: IncomingMessage, text: string): Answer {
    const { pathname, search } = new URL(request.url ?? '/', 'http://stripe')
    stripe.asked.push(`${request.method} ${pathname}`)
    if (stripe.broken) return refused(stripe.broken, { type: 'api_error', message: 'The stand-in is broken.' })
    if (request.headers.authorization !== `Bearer ${SECRET_KEY}`)
      return refused(401, {
        type: 'invalid_request_error',
        message: `Invalid API Key provided: ${request.headers.authorization?.slice(7)}`,
      })
    const key = request.headers['idempotency-key'] as string | undefined
    const asked = sha256(`${request.method} ${pathname} ${text}`).toString('hex')
    const before = key ? answers.get(key) : undefined
    if (before && before.asked !== asked)
      return refused(400, {
        type: 'idempotency_error',
        message: 'Keys for idempotent requests can only be used with the same parameters.',
      })
    if (before) return before.answer
    const route = routes.find(([method, path]) => method === request.method && path.test(pathname))
    if (!route) return refused(404, { type: 'invalid_request_error', message: `Unrecognized request URL (${pathname})` })
    const fields = nested(new URLSearchParams(request.method === 'GET' ? search : text))
    const answer = route[2](fields, route[1].exec(pathname)?.[1] ?? '')
    if (key) answers.set(key, { asked, answer })
    return answer
  }

  const server = createServer(async (request, reply) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const { status, body } = answerTo(request, text)
    while (stripe.asked.length < stripe.together) await sleep(5)
    if (stripe.loseAnswers > 0) {
      stripe.loseAnswers--
      return request.socket.destroy()
    }
    reply.writeHead(status, { 'content-type': 'application/json', 'stripe-should-retry': 'false' }).end(JSON.stringify(body))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  stripe.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return stripe
}

export type StripeStandIn = Awaited<ReturnType<typeof startStripe>>

/** Parses `a[b][0]=c` to `{ a: { b: ['c'] } }`, as Stripe does. */
function nested(params: URLSearchParams): Fields {
  const root: Fields = {}
  for (const [name, value] of params) {
    const path = name.split(/[[\]]+/).filter(Boolean)
    let at: Fields = root
    for (const part of path.slice(0, -1)) at = at[part] ??= {}
    at[path.at(-1)!] = value
  }
  return root
}
