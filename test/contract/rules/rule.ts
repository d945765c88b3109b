/** Additions to a valid request that its schemas don't express. */
import type { Body, Request, Setting } from '../requests.ts'

export interface Rule {
  /** Operations performed first on the path's record. Default: those that reach the state of a path like `/restore`. */
  after?: string[]
  /** Fields of the body, in addition to or instead of generated ones. */
  body?: (setting: Setting) => Body | Promise<Body>
  query?: Record<string, string>
  /** Other differences: caller, headers, path parameters. */
  request?: (setting: Setting) => Partial<Request> | Promise<Partial<Request>>
  /** For a collection's path: creates a record, where no operation of that path does. */
  record?: (setting: Setting) => Promise<Body>
}

/** By operation id, or by a collection's path. */
export type Rules = Record<string, Rule>
