/** Contexts: kinds of records that templates are for, as declared by modules (TPL-03). */
import { declared } from '#kernel/modules/declared.ts'
import type { PlaceholderContext } from '#kernel/modules/placeholders.ts'

const contexts = new Map<string, PlaceholderContext>(declared().placeholders.map((context) => [context.subject, context]))

export const CONTEXTS = [...contexts.keys()] as [string, ...string[]]
export const contextOf = (name: string): PlaceholderContext => contexts.get(name)!
