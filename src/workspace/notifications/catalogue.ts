/** Every type of notification that the modules declare: what it belongs to, when it comes, whether it may be mailed (NTF-02, NTF-03, NTF-21). */
import { declared } from '#kernel/modules/declared.ts'
import { CATEGORIES, type Category } from '#kernel/modules/notifications.ts'
import type { SubjectType } from '#kernel/names.ts'
import { withArticle, words } from '#kernel/values/words.ts'

interface TypeFacts {
  category: Category
  /** For the list of preferences. */
  title: string
  /** It is never mailed, whatever is set. */
  unmailed?: true
}

const modules = declared().notifications

const mentionOf = (subject: SubjectType, category: Category): [string, TypeFacts] => [
  `${subject}.mentioned`,
  { category, title: `Somebody mentions you in a note on ${withArticle(words(subject))}` },
]

/** Digests belong to the type that they gather: `lead.assigned.digest` to `lead.assigned`. */
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
/** When each comes, for those who read of one by its type. A digest is of the type that it gathers. */
export const typeWords: Record<string, string> = Object.fromEntries(
  [...facts].flatMap(([type, { title }]) => [
    [type, title],
    [`${type}.digest`, title],
  ]),
)
export const factsOf = (type: string): TypeFacts => facts.get(type)!

/** Every kind that follows from an event. */
export const KINDS = modules.flatMap(({ kinds }) => kinds)

/** Kinds of record whose notes may mention somebody. */
export const MENTIONED = modules
  .map(({ mentions = [], position, recordPosition = position }) => ({ mentions, recordPosition }))
  .toSorted((a, b) => a.recordPosition - b.recordPosition || 0)
  .flatMap(({ mentions }) => mentions)

/** What a route descriptor may name (NTF-13). A client has a screen for each. */
export const RECORDS = [...new Set([...MENTIONED, ...KINDS.map(({ subject }) => subject)])] as [SubjectType, ...SubjectType[]]
