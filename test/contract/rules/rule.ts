/** What a valid request asks for beyond its schemas. */
import type { Body, Request, Setting } from '../requests.ts'

export interface Rule {
  /** Operations that come first, on the record that the path names. Default: those that bring it to the state of a path like `/restore`. */
  after?: string[]
  /** Fields of the body, beyond or instead of what its schema makes. */
  body?: (setting: Setting) => Body | Promise<Body>
  query?: Record<string, string>
  /** Whatever else is different: who asks, headers, what the path names. */
  request?: (setting: Setting) => Partial<Request> | Promise<Partial<Request>>
  /** Of a path where records stand: makes one, where no operation of that path does. */
  record?: (setting: Setting) => Promise<Body>
}

/** By the id of an operation, or by the path where records stand. */
export type Rules = Record<string, Rule>
