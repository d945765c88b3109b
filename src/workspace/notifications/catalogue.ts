/** Every notification type that modules declare: category, occasion, and whether it may be mailed (NTF-02, NTF-03, NTF-21). */
import { declared } from '#kernel/modules/declared.ts'
import { CATEGORIES, type Category } from '#kernel/modules/notifications.ts'
import type { SubjectType } from '#kernel/names.ts'
import { withArticle, words } from '#kernel/values/words.ts'

interface TypeFacts {
  category: Category
  /** Label in the list of preferences. */
  title: string
  /** Never mailed, regardless of preferences. */
  unmailed?: true
}

const modules = declared().notifications

const mentionOf = (subject: SubjectType, category: Category): [string, TypeFacts] => [
  `${subject}.mentioned`,
  { category, title: `Somebody mentions you in a note on ${withArticle(words(subject))}` },
]

/** Digests share the facts of the type that they collect: `lead.assigned.digest` those of `lead.assigned`. */
const facts = new Map<string, TypeFacts>([
  ...CATEGORIES.flatMap((category) =>
    modules
      .filter((one) => one.category === category)
      .flatMap(({ kinds, mentions = [] }): [string, TypeFacts][] => [
        ...kinds.map(({ type, title, unmailed }): [string, TypeFacts] => [type, { category, title, unmailed }]),
        ...mentions.map((subject) => mentionOf(subject, category)),
      ]),
  ),
  ['announcement', { category: 'system', title: 'The workspace announces something' }],
])

export const TYPES = [...facts.keys()] as [string, ...string[]]
/** Description by type, for readers of the API. A digest has that of the type it collects. */
export const typeWords: Record<string, string> = Object.fromEntries(
  [...facts].flatMap(([type, { title }]) => [
    [type, title],
    [`${type}.digest`, title],
  ]),
)
export const factsOf = (type: string): TypeFacts => facts.get(type)!

/** Every kind that an event triggers. */
export const KINDS = modules.flatMap(({ kinds }) => kinds)

/** Types of records whose notes may mention users. */
export const MENTIONED = modules
  .map(({ mentions = [], position, recordPosition = position }) => ({ mentions, recordPosition }))
  .toSorted((a, b) => a.recordPosition - b.recordPosition || 0)
  .flatMap(({ mentions }) => mentions)

/** Values of `resource` in a route descriptor (NTF-13). A client has a screen for each. */
export const RECORDS = [...new Set([...MENTIONED, ...KINDS.map(({ subject }) => subject)])] as [SubjectType, ...SubjectType[]]
